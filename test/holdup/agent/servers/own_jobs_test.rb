# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/servers/own_jobs"

class Holdup::Servers::OwnJobsTest < Minitest::Test
  Runtime = Data.define(:recorder, :guard, :left) do
    def pool_of(queue) = "queues #{queue}"

    def leave(name) = left << name
  end
  Job = Data.define(:name)
  Broken = Class.new(StandardError)

  # A runner whose jobs are all in one queue.
  class Adapter
    include Holdup::Servers::OwnJobs

    NAME = "any_runner"

    private

    def run(job) = new_run(nil, job.name.dup, "mails")
  end

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard:)
    @runtime = Runtime.new(recorder:, guard:, left: [])
    @adapter = Adapter.new(runtime: @runtime)
  end

  def test_a_job_is_one_unit_in_the_pool_of_its_queue
    assert_equal 7, @adapter.measure(Job.new("MailJob")) { 7 }
    assert_equal [["MailJob", "mails", "queues mails", false]],
      @probe.recorded.map { |unit| [unit.name, unit.queue, unit.pool, unit.error] }
  end

  def test_an_exception_is_a_failure_and_goes_on_untouched
    assert_raises(Broken) { @adapter.measure(Job.new("MailJob")) { raise Broken } }
    assert @probe.recorded.last.error
  end

  def test_a_job_of_active_job_is_left_to_its_callback
    ran = @adapter.measure(Job.new("ActiveJob::QueueAdapters::AnyAdapter::JobWrapper")) { |run| [run] }
    assert_equal [nil], ran
    assert_empty @probe.recorded
  end

  def test_a_job_that_cannot_be_read_runs_unmeasured
    assert_equal :done, @adapter.measure(nil) { :done }
    assert_equal 1, @log.lines.size
  end

  def test_what_was_the_last_to_take_jobs_leaves
    @adapter.finished
    assert_equal %w[any_runner], @runtime.left
  end
end
