# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/servers/sidekiq_library"

class Holdup::Servers::SidekiqLibraryTest < Minitest::Test
  ROOT = File.expand_path("../../../../lib", __dir__)
  # Sidekiq calls the block later, or never: a client's process has no server.
  STUB = <<~RUBY
    require "holdup/agent/guard"
    require "holdup/agent/servers/sidekiq_library"
    module Sidekiq
      def self.configure_server(&block) = @block = block
      def self.start = @block.call
    end
    Lines = Class.new { def warn(line) = puts(line) }
    Stopped = Data.define(:monotonic_ns)
    guard = Holdup::Guard.new(log: Lines.new, clock: Stopped.new(monotonic_ns: 0))
    runtime = Data.define(:guard).new(guard:)
    Holdup::Servers::SidekiqLibrary.new(runtime:, middleware: :given).install
    loaded = -> { Holdup::Servers.const_defined?(:Sidekiq, false) }
    puts "before \#{loaded.call}"
    Sidekiq.start
    puts "after \#{loaded.call}"
  RUBY

  def test_joins_only_when_sidekiq_starts_and_guards_the_application
    lines = fresh_ruby(STUB, prelude: "$LOAD_PATH.unshift(#{ROOT.dump})\n").lines(chomp: true)
    assert_equal "before false", lines.first
    assert_equal "after true", lines.last
    assert_match(/\Asidekiq failed, the application is not affected/, lines[1],
      "its runtime lacks a recorder")
  end
end
