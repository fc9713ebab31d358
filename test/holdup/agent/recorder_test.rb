# frozen_string_literal: true

require "test_helper"
require "holdup/agent/recorder"

class Holdup::RecorderTest < Minitest::Test
  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @recorder = Holdup::Recorder.new(probe: @probe, guard: Holdup::Guard.new(log: @log, clock: HandClock.new))
  end

  def recorded = @probe.recorded.last

  def test_measures_a_block_and_gives_its_value
    assert_equal 3, @recorder.measure("Report", kind: :job, queue: "low") { 3 }
    assert_equal [1, 2, "Report", "low", nil, false, nil, nil, nil, nil, nil], recorded.to_h.values
  end

  def test_an_exception_is_an_error_and_goes_on_untouched
    error = RuntimeError.new("theirs")
    raised = assert_raises(RuntimeError) { @recorder.measure("Report") { raise error } }
    assert_same error, raised
    assert recorded.error
  end

  def test_a_throw_ends_the_unit_without_an_error
    assert_equal(4, catch(:out) { @recorder.measure("Report") { throw :out, 4 } })
    refute recorded.error
  end

  def test_measures_a_block_that_returns_early
    assert_equal 5, returning
    refute recorded.error
  end

  def returning
    @recorder.measure("Report") { return 5 }
  end

  def test_a_killed_thread_ends_its_unit
    ready = Queue.new
    thread = Thread.new { @recorder.measure("Report") { ready.push(1) && sleep } }
    ready.pop
    thread.kill.join
    assert_equal 1, @probe.recorded.size
    refute recorded.error
  end

  def test_does_not_count_an_error_that_was_handled_before_the_unit
    begin
      raise "before"
    rescue
      @recorder.measure("Report") { 1 }
    end
    refute recorded.error
  end

  def test_nested_units_and_their_names
    @recorder.measure("outer") do
      @recorder.measure("inner") { Holdup::Recorder::OpenUnit.current.name = "renamed" }
      assert_equal "outer", Holdup::Recorder::OpenUnit.current.name
    end
    assert_equal %w[renamed outer], @probe.recorded.map(&:name)
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  def test_a_successful_exit_is_not_an_error
    assert_raises(SystemExit) { @recorder.measure("well") { exit(0) } }
    assert_raises(SystemExit) { @recorder.measure("badly") { exit(1) } }
    assert_equal [false, true], @probe.recorded.map(&:error)
  end

  def test_a_fiber_names_the_unit_it_runs_in
    @recorder.measure("outer") do
      Fiber.new { Holdup::Recorder::OpenUnit.current.name = "from a fiber" }.resume
    end
    assert_equal "from a fiber", recorded.name
  end

  def test_fibers_keep_their_units_apart
    first = Fiber.new { @recorder.measure("a") { Fiber.yield || Holdup::Recorder::OpenUnit.current.name } }
    second = Fiber.new { @recorder.measure("b") { Fiber.yield || Holdup::Recorder::OpenUnit.current.name } }
    first.resume
    second.resume
    assert_equal %w[a b], [first.resume, second.resume]
    assert_equal %w[a b], @probe.recorded.map(&:name)
  end

  def test_a_thread_that_outlives_its_unit_has_none
    go = Queue.new
    thread = @recorder.measure("outer") { Thread.new { go.pop && Holdup::Recorder::OpenUnit.current } }
    go.push(true)
    assert_nil thread.value
  end

  def test_off_it_only_calls_the_block
    @probe.disable
    assert_equal(3, @recorder.measure("Report") { 3 })
    assert_empty @probe.recorded
  end

  def test_our_failure_is_not_the_blocks
    def @probe.enter(*) = raise("ours")
    assert_equal(3, @recorder.measure("Report") { 3 })
    assert_match(/measure failed.*ours/, @log.lines.first)
  end

  def test_an_unknown_kind_is_a_programmers_mistake
    assert_raises(ArgumentError) { @recorder.measure("Report", kind: :cron) { 3 } }
  end
end
