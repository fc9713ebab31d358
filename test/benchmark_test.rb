# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/instrumentation/calls" # the agent has no autoloading
require "holdup/agent/recorder"
require_relative "../benchmark/support/document"

# Benchmarks run by hand only. At least the names of lib/ that they use have to exist, and each file is a part
# of what bin/bench runs.
class BenchmarkTest < Minitest::Test
  ROOT = File.expand_path("..", __dir__)
  # One that is a program of its own, which `bin/bench collector` starts.
  SCRIPTS = {"collector" => "collector_script"}.freeze
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

  def test_every_bench_is_a_part_of_its_command
    files = Dir.children("#{ROOT}/benchmark").grep(/\.rb\z/).map { |file| File.basename(file, ".rb") }
    assert_operator files.size, :>, 20
    command = File.read("#{ROOT}/benchmark/support/command.rb")
    required = command.scan(/^require_relative "(?:\.\.\/)?(\w+)"/).flatten
    assert_empty files.reject { |file| required.include?(SCRIPTS.fetch(file, file)) }
  end

  def test_the_help_of_bench_has_every_arm
    help = File.readlines("#{ROOT}/bin/bench").grep(/\A#/).join
    arms = Bench::Document::PAGES.values.flatten
    assert_empty arms.reject { |arm| help.match?(/(?<![\w-])#{arm}(?![\w-])/) }
  end

  def test_every_support_file_is_used
    support = Dir["**/*.{rb,lua}", base: "#{ROOT}/benchmark/support"] - ["main.rb"]
    texts = Dir["#{ROOT}/{benchmark,test/bin}/**/*.rb"].to_h { |file| [file, File.read(file)] }
    unused = support.reject do |path|
      name = Regexp.escape(File.basename(path, ".rb"))
      own = "#{ROOT}/benchmark/support/#{path}"
      texts.any? { |file, text| file != own && text.match?(/["\/]#{name}(?:\.rb)?"/) }
    end
    assert_empty unused
  end
end
