# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/thread_pool_jobs"

# What it makes of a pool's jobs; the real libraries are in test/integration/thread_pool_jobs_test.rb.
class Holdup::Instrumentation::ThreadPoolJobsTest < Minitest::Test
  NOW_NS = 1_700_000_000_500_000_000
  Letter = Class.new
  Executor = Data.define(:scheduled_task_count, :max_length, :active_count, :queue_length,
    :completed_task_count)

  # Stands for the one of Rails' async adapter.
  class Scheduler
    def initialize(executor) = @async_executor = executor
  end

  def setup
    @probe = RecordingProbe.new
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    @clock = HandClock.new(realtime_ns: NOW_NS)
    recorder = Holdup::Recorder.new(probe: @probe, guard:)
    jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: @clock)
    @pools = Holdup::Instrumentation::ThreadPoolJobs.new(-> { jobs }, guard:)
  end

  def run_late(ns, &block)
    task = @pools.posting(-> { @pools.measure(Letter, &block) })
    @clock.realtime_ns += ns
    task.call
  end

  def test_a_job_waits_from_when_it_was_put_into_the_pool_of_its_class
    assert_equal 7, run_late(2_000) { 7 }
    unit = @probe.recorded.last
    assert_equal [Letter.name, nil, 2_000, false], [unit.name, unit.queue, unit.queued_ns, unit.error]
    assert_equal Holdup::Servers::Pool.short("sucker_punch #{Letter.name}"), unit.pool
  end

  def test_a_job_that_runs_where_it_is_asked_for_has_waited_for_nothing
    run_late(2_000) { nil }
    @pools.measure(Letter) { nil }
    assert_nil @probe.recorded.last.queued_ns
  end

  def test_an_exception_that_the_library_rescues_is_a_failure
    run_late(0) do
      raise "broken"
    rescue
      @pools.failed
    end
    assert @probe.recorded.last.error
    run_late(0) { @pools.failed }
    refute @probe.recorded.last.error
  end

  def test_a_pool_is_told_from_its_first_job_on
    idle = Executor.new(0, 5, 0, 0, 0)
    at_work = Executor.new(9, 5, 2, 3, 4)
    schedulers = [idle, at_work].map { |executor| Scheduler.new(executor) }
    schedulers.each { |scheduler| @pools.add(scheduler) }
    assert_equal [["async", 5, 2, 3, 4]],
      @pools.pools.map { |pool| [pool.name, pool.max, pool.busy, pool.backlog, pool.served] }
  end

  def test_knows_the_threads_of_the_async_adapter
    thread = Thread.new { Thread.stop }
    found = ["ActiveJob-async-scheduler-worker-2", "puma srv tp 001", nil].map do |name|
      thread.name = name
      Holdup::Instrumentation::ThreadPoolJobs.pool_of(thread)
    end
    assert_equal ["async", nil, nil], found
  ensure
    thread.kill
  end
end
