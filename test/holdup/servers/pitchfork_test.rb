# frozen_string_literal: true

require "test_helper"
require "holdup/servers"
require "support/fresh_ruby"

# What the real server does is in test/integration/pitchfork_test.rb; this is a process in which it is only loaded.
class Holdup::Servers::PitchforkTest < Minitest::Test
  include FreshRuby

  ENVIRONMENT = {"HOLDUP_COLLECTOR" => "off"}.freeze

  def loaded(script)
    Dir.mktmpdir do |dir|
      fresh_ruby(<<~RUBY, prelude: "", env: ENVIRONMENT.merge("HOLDUP_DIR" => dir), options: ["-W0", "-I#{File.expand_path("../../../lib", __dir__)}"])
        require "bundler/setup"
        require "pitchfork"
        require "holdup"
        #{script}
      RUBY
    end
  end

  def test_a_server_that_is_loaded_but_does_not_run_keeps_nobody_waiting
    assert_equal "true\ntrue\n", loaded("puts Holdup.start, Holdup.running?")
  end

  def test_it_is_joined_once
    assert_equal "1\n", loaded(<<~RUBY)
      2.times { Holdup.servers.install("Pitchfork::HttpServer") }
      puts Pitchfork::HttpServer.ancestors.count { |each| each.equal?(Holdup::Servers::Preforking::Busy) }
    RUBY
  end

  def test_a_server_that_is_being_configured_is_here
    assert_equal "true\nfalse\ntrue\n", loaded(<<~RUBY)
      File.write(path = File.join(ENV.fetch("HOLDUP_DIR"), "server.rb"), "worker_processes 3\nputs Holdup.start, Holdup.running?")
      Pitchfork::HttpServer.new(->(_env) {}, listeners: [], config_file: path)
      puts Holdup::Servers::Pitchfork.here?
    RUBY
  end
end
