# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/job_units"

class Holdup::Instrumentation::JobUnitsTest < Minitest::Test
  NOW_NS = 1_700_000_000_500_000_000
  GivenUp = Class.new(StandardError)

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @recorder = Holdup::Recorder.new(probe: @probe, guard: Holdup::Guard.new(log: @log, clock: HandClock.new))
    @jobs = jobs
  end

  def jobs(**more)
    Holdup::Instrumentation::JobUnits.new(recorder: @recorder, clock: HandClock.new(realtime_ns: NOW_NS),
**more)
  end

  def measure(name = "MailJob", id: "1", queue: nil, **more, &block)
    run = @jobs.run(id, name, queue) if @jobs.on?
    more.each { |fact, value| run&.public_send(:"#{fact}=", value) }
    @jobs.measure(run, &block || -> {})
  end

  def recorded = @probe.recorded.last

  def errors
    @probe.recorded.map { |unit| [unit.name, unit.error] }
  end

  def test_a_run_is_a_unit_with_class_queue_and_latency
    assert_equal 7, measure(queue: "low", ready_ns: NOW_NS - 2_000) { 7 }
    assert_equal [1, 2, "MailJob", "low", 2_000, false, nil, nil, nil, nil, "1"], recorded.to_h.values
  end

  def test_the_pool_comes_from_the_runner_or_the_process
    measure(queue: "low", pool: "default")
    assert_equal "default", recorded.pool
    @jobs = jobs(pool_of: ->(queue) { "queues #{queue}" })
    measure(queue: "low")
    assert_equal "queues low", recorded.pool
  end

  def test_many_priorities_are_one_beyond_the_first
    (1..10).each { |priority| measure(id: priority.to_s, priority:) }
    assert_equal [*"1".."8", "others", "others"], @probe.recorded.map(&:priority)
    measure(priority: 3)
    assert_equal "3", recorded.priority
  end

  # Its time is in the outer one's already, and no pool has taken it.
  def test_a_job_inside_of_another_is_in_no_pool_and_has_no_priority
    measure(pool: "default", priority: 5) { measure("InnerJob", id: "2", pool: "default", priority: 1) }
    assert_equal [["InnerJob", nil, nil], ["MailJob", "default", "5"]],
      @probe.recorded.map { |unit| [unit.name, unit.pool, unit.priority] }
    assert_equal ["default", nil], @probe.entered
  end

  # As threads do that a web server's pool of jobs makes while a request enqueues.
  def test_a_job_on_a_thread_that_was_begun_inside_of_a_unit_has_both
    measure { Thread.new { measure("OtherJob", id: "2", pool: "default", priority: 1) }.join }
    assert_equal ["OtherJob", "default", "1"],
      @probe.recorded.first.then { |unit| [unit.name, unit.pool, unit.priority] }
  end

  def test_a_job_that_is_ready_in_the_future_did_not_wait_and_is_counted
    measure(ready_ns: NOW_NS + 1)
    assert_equal [0, [Holdup::Probe::COUNTERS[:queued_clamped]]], [recorded.queued_ns, @probe.counted]
  end

  def test_ignores_an_unknown_or_absurd_queue_time
    [nil, NOW_NS - 500 * 86_400 * 1_000_000_000].each do |ready_ns|
      measure(ready_ns:)
      assert_nil recorded.queued_ns
    end
  end

  def test_an_exception_is_an_error_and_goes_on_untouched
    error = RuntimeError.new("theirs")
    assert_same error, assert_raises(RuntimeError) { measure { raise error } }
    assert recorded.error
  end

  def test_a_harmless_exception_is_not_an_error_and_passes
    assert_raises(GivenUp) { measure(harmless: [GivenUp]) { raise GivenUp } }
    refute recorded.error
  end

  def test_a_job_that_runs_in_a_rescue_has_not_failed
    raise "earlier"
  rescue
    measure
    refute recorded.error
  end

  def test_a_job_that_exits_well_has_not_failed
    assert_raises(SystemExit) { measure("Well") { exit 0 } }
    assert_raises(SystemExit) { measure("Badly", id: "2") { exit 3 } }
    assert_equal [["Well", false], ["Badly", true]], errors
  end

  def test_who_sees_the_same_run_again_makes_no_second_unit
    measure { measure("MailJob again") }
    assert_equal [["MailJob", false]], errors
  end

  def test_a_failure_that_is_rescued_within_the_run_counts
    measure do
      measure { raise "retried by Active Job" }
    rescue
      nil
    end
    assert_equal [["MailJob", true]], errors
  end

  def test_a_job_inside_of_a_job_is_a_unit_of_its_own
    measure("Outer", id: "1") do
      measure("Inner", id: "2") { raise "inner" }
    rescue
      nil
    end
    assert_equal [["Inner", true], ["Outer", false]], errors
  end

  def test_jobs_without_an_id_are_all_different
    measure("Outer", id: nil) { measure("Inner", id: nil) }
    assert_equal %w[Inner Outer], @probe.recorded.map(&:name)
  end

  def test_a_run_that_is_measured_already_is_known_through_units_inside_of_it
    measure { measure("Step", id: "2") { measure } }
    assert_equal %w[Step MailJob], @probe.recorded.map(&:name)
  end

  def test_a_thread_that_is_killed_in_a_job_leaves_a_unit
    started = Queue.new
    thread = Thread.new { measure { started.push(1) && Thread.stop } }
    started.pop
    thread.kill.join
    assert_equal [["MailJob", false]], errors
  end

  def test_does_nothing_while_it_does_not_measure
    @probe.disable
    assert_equal 3, measure { 3 }
    assert_empty @probe.recorded
  end

  def test_logs_a_failure_of_holdup_and_the_job_runs
    @probe.define_singleton_method(:enter) { |*| raise "ours" }
    assert_equal 3, measure { 3 }
    assert_match(/ours/, @log.lines.join)
  end

  def test_what_can_not_be_read_is_nothing
    assert_nil @jobs.unreadable(RuntimeError.new("unreadable"))
    assert_equal 1, @log.lines.size
  end
end
