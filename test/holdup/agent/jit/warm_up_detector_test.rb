# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

class Holdup::Jit::WarmUpDetectorTest < Minitest::Test
  # Loads neither the probe nor the helpers.
  LIB_ONLY = "$LOAD_PATH.unshift(#{File.expand_path("../../../../lib", __dir__).dump})\n"

  S = 1_000_000_000

  def setup
    @cpu_ns = @compiled = @interpreted = 0
    @warmth = Holdup::Jit::WarmUpDetector.new(clock: HandClock.new, cpu: -> { @cpu_ns })
  end

  # Work for a second of CPU, and a look.
  def work(compiled:, interpreted: 1000, cpu_ns: S)
    @cpu_ns += cpu_ns
    @compiled += compiled
    @interpreted += interpreted if interpreted
    @warmth.observe(Holdup::Jit::Snapshot.new(kind: :yjit, compiled_iseqs: @compiled,
      interpreted_instructions: interpreted && @interpreted))
  end

  def warm? = !!@warmth.since_ns

  def test_warm_when_nothing_new_is_compiled
    work(compiled: 500)
    3.times do
      refute_predicate self, :warm?
      work(compiled: 2)
    end
    assert_predicate self, :warm?
  end

  def test_compiling_and_a_falling_share_of_the_interpreter_are_not_warm
    work(compiled: 500)
    5.times { work(compiled: 100) }
    [9000, 7000, 5000, 3000, 2000].each { |interpreted| work(compiled: 0, interpreted:) }
    refute_predicate self, :warm?
    3.times { work(compiled: 0, interpreted: 1900) }
    assert_predicate self, :warm?
  end

  def test_idle_is_not_warm
    work(compiled: 500)
    20.times { work(compiled: 0, cpu_ns: 1000) }
    refute_predicate self, :warm?
  end

  def test_where_interpreted_instructions_are_not_counted
    work(compiled: 500, interpreted: nil)
    3.times { work(compiled: 0, interpreted: nil) }
    assert_predicate self, :warm?
  end

  # Real methods become warm one after the other; from then on nothing is left to compile.
  def test_in_this_ruby
    output = fresh_ruby(<<~RUBY, options: ["--yjit"], prelude: LIB_ONLY)
      require "holdup/model/clock"
      require "holdup/agent/jit"
      warmth = Holdup::Jit::WarmUpDetector.new(clock: Holdup::Clock.new, interval_ns: 20_000_000)
      version = Holdup::RubyVersion.here
      options = Holdup::Jit::RubyOptions.read
      yjit = Holdup::Jit::Yjit.new(api: RubyVM::YJIT, version:, options:)
      methods = Array.new(400) { |number| eval("def m\#{number}(n) = n.times.sum { |i| i * \#{number} }") }
      compiling = methods.map do |name|
        40.times { send(name, 60) }
        warmth.observe(yjit.state) || warmth.since_ns
      end
      2000.times do
        break if warmth.since_ns
        methods.each { |name| send(name, 60) }
        warmth.observe(yjit.state)
      end
      print compiling.compact.size, " ", !!warmth.since_ns
    RUBY
    assert_equal "0 true", output
  end
end
