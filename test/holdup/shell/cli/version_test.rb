# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::CLI::VersionTest < Minitest::Test
  include CommandLine

  def test_says_both_versions
    assert_equal "holdup #{Holdup::VERSION} (#{RUBY_DESCRIPTION})\n", holdup("version").out
    assert_equal holdup("version").out, holdup("--version").out
  end

  def test_loads_no_database
    script = <<~RUBY
      require "holdup/loader"
      Holdup::CLI.new.run(["version"])
      puts defined?(Sequel).inspect, defined?(SQLite3).inspect
      puts $LOADED_FEATURES.grep(%r{/holdup/store}).inspect
    RUBY
    out, = Open3.capture2e(RbConfig.ruby, "-I#{File.expand_path("../../../../lib", __dir__)}", "-e", script)
    assert_equal %w[nil nil []], out.lines(chomp: true).last(3)
  end
end
