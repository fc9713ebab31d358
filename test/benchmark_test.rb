# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/instrumentation/calls" # the agent has no autoloading
require "holdup/agent/recorder"

# Benchmarks run by hand only. At least the names of lib/ that they use have to exist.
class BenchmarkTest < Minitest::Test
  PATH = /(?<![\w:])[A-Z]\w*(?:::[A-Z]\w*)+/
  # BENCH = Holdup::Advise::Sizing
  SHORT = /^\s*(?<short>[A-Z]\w*) = (?<whole>Holdup(?:::[A-Z]\w*)+)$/

  Dir[File.expand_path("../benchmark/**/*.rb", __dir__)].each do |file|
    text = File.read(file)
    short = text.scan(SHORT).to_h
    paths = text.scan(PATH).map { |path| path.sub(/\A\w+/) { |head| short.fetch(head, head) } }
    paths = paths.grep(/\AHoldup::/).uniq
    next if paths.empty?

    define_method(:"test_#{file[%r{benchmark/(.*)\.rb\z}, 1].tr("/", "_")}") do
      missing = paths.reject { |path| Object.const_defined?(path) }
      assert_empty missing, "#{file} names constants that are not there"
    end
  end
end
