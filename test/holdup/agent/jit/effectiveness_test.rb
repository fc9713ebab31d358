# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit"

# YJIT can't be switched off again, and what spoils it lasts as long as the process: so each case is a fork of
# a fresh Ruby.
class Holdup::Jit::EffectivenessTest < Minitest::Test
  LIB = File.expand_path("../../../../lib", __dir__)
  # Each in a child: prints its name and the verdict.
  CASES = <<~RUBY
    $LOAD_PATH.unshift(#{LIB.dump})
    require "holdup/agent/jit"
    require "coverage"
    VERSION = Holdup::RubyVersion.here
    OPTIONS = Holdup::Jit::RubyOptions.read

    def verdict(version = VERSION)
      Holdup::Jit::Activation.new(jit: RubyVM::YJIT).call
      state = Holdup::Jit::Yjit.new(api: RubyVM::YJIT, version: VERSION, options: OPTIONS).state
      Holdup::Jit::Effectiveness.new(api: RubyVM::YJIT, version:).call(state)
    end

    def try(name, version = VERSION)
      pid = fork do
        yield
        $stdout.syswrite("\#{name}=\#{verdict(version).inspect} ")
        exit!(0)
      end
      Process.wait(pid)
    end

    def trace(event) = TracePoint.new(event) { nil }.enable { 1 }
  RUBY

  def verdicts(script, **options)
    fresh_ruby(script, prelude: CASES, **options).split.to_h { |line| line.split("=") }
  end

  def test_healthy
    found = verdicts(<<~RUBY)
      try(:plain) { nil }
      %i[class raise end rescue thread_begin script_compiled].each { |event| try(event) { trace(event) } }
      try(:coverage) { Coverage.start && Coverage.result }
      try(:oneshot) { Coverage.start(oneshot_lines: true) && Coverage.result }
      try(:one_method) { TracePoint.new(:call) { nil }.enable(target: method(:trace)) { 1 } }
      try(:threads) { 3.times { Thread.new { loop { rand } } } }
    RUBY
    assert_equal 11, found.size
    assert_equal ["true"], found.values.uniq, found
  end

  def test_spoiled_before_and_after_it_is_enabled
    found = verdicts(<<~RUBY)
      %i[call line return b_call b_return c_call c_return].each { |event| try(event) { trace(event) } }
      try(:later) { verdict && trace(:call) }
      trace(:line)
      try(:in_the_parent) { nil }
    RUBY
    assert_equal 9, found.size
    assert_equal ["false"], found.values.uniq, found
  end

  def test_with_so_many_methods_that_the_threshold_is_higher
    found = verdicts(<<~RUBY)
      class Many
        eval(Array.new(41_000) { |number| "def m\#{number}() = \#{number}" }.join("\\n"))
      end
      try(:many) { nil }
      try(:spoiled) { trace(:return) }
      verdict
      state = Holdup::Jit::Yjit.new(api: RubyVM::YJIT, version: VERSION, options: OPTIONS).state
      print "threshold=", state.call_threshold
    RUBY
    assert_equal({"many" => "true", "spoiled" => "false", "threshold" => "120"}, found)
  end

  def test_with_a_threshold_of_ones_own
    assert_equal({"plain" => "true"},
      verdicts("try(:plain) { nil }", options: ["--yjit-call-threshold=900", "--yjit-disable"]))
    assert_equal({"plain" => "nil"},
      verdicts("try(:plain) { nil }", options: ["--yjit-call-threshold=90000", "--yjit-disable"]))
  end

  def test_is_unknown_while_another_ractor_runs
    assert_equal({"beside" => "nil"}, verdicts("try(:beside) { Ractor.new { loop { rand } } }"))
  end

  # Ruby 4.0 does not count them. What is asked instead works alike on 3.4, so it is tried there.
  def test_where_interpreted_instructions_are_not_counted
    unless Holdup::RubyVersion.here.limits_total?
      skip "YJIT of Ruby 3.3 compiles this workload differently"
    end
    found = verdicts(<<~RUBY)
      later = Holdup::RubyVersion.parse("4.0.0")
      try(:plain, later) { nil }
      %i[class call line return b_call c_call].each { |event| try(event, later) { trace(event) } }
      try(:later, later) { verdict && trace(:call) }
    RUBY
    assert_equal({"plain" => "true", "class" => "true"}, found.slice("plain", "class"))
    assert_equal [6, ["false"]],
      [found.except("plain", "class").size, found.except("plain", "class").values.uniq], found
  end

  Version = Holdup::RubyVersion

  # @param pace [Numeric] of the workload in proportion to the interpreter
  def effective(pace = 2, version: "4.0.0", **state)
    effectiveness = Holdup::Jit::Effectiveness.new(api: nil, version: Version.parse(version),
      pace: Struct.new(:ratio).new(pace))
    effectiveness.call(Holdup::Jit::Snapshot.new(kind: :yjit, call_threshold: 30, **state))
  end

  def test_by_its_pace
    assert_equal [true, false], [effective(0.4), effective(1.2)]
  end

  # What slows ZJIT's code down was not measured: no effect can be proven, its absence can't.
  def test_of_zjit_only_an_effect_is_proven
    zjit = {kind: :zjit, failures: 9}
    limit = Holdup::Jit::MemoryLimit.new(bytes: 128 << 20, of: :total, source: "default")
    assert effective(0.4, **zjit, limit:)
    assert_nil effective(1.2, **zjit, limit:)
    assert_nil effective(0.4, **zjit, limit:, compiled_instructions: 5)
    full = limit.with(bytes: 10)
    assert_nil effective(0.4, **zjit, limit: full, code_bytes: 5, metadata_bytes: 7)
    assert effective(0.4, version: "3.4.0", **zjit, limit:), "YJIT's counter says nothing about it"
  end

  def test_is_unknown_when_it_can_not_be_measured
    assert_nil effective(call_threshold: nil), "somebody else's threshold"
    assert_nil effective(call_threshold: 2), "the interpreter's part is compiled too"
    assert_nil effective(failures: 1), "full, whatever the limit is"
    assert_nil effective(kind: :off)
    assert_nil effective(3.1, compiled_instructions: 5), "counting takes longer than the interpreter"
  end

  # Also where Ruby was started with them. Counting takes three times as long as the interpreter.
  def test_is_unknown_with_statistics
    [["--yjit-disable", "--yjit-stats=quiet"], ["--yjit-stats=quiet"]].each do |options|
      found = verdicts(<<~RUBY, options:)
        try(:plain) { nil }
        try(:timed, Holdup::RubyVersion.parse("4.0.0")) { nil }
        try(:spoiled) { trace(:line) }
      RUBY
      assert_equal({"plain" => "nil", "timed" => "nil", "spoiled" => "nil"}, found, options)
    end
  end
end
