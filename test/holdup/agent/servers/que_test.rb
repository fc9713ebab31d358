# frozen_string_literal: true

require "test_helper"
require "time"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/servers/que"

# What it makes of Que's jobs; a real Que is in test/integration/que_test.rb.
class Holdup::Servers::QueTest < Minitest::Test
  Runtime = Data.define(:recorder) do
    def pool_of(_queue) = "queues mails"
  end
  Job = Data.define(:que_attrs, :que_error)
  Broken = Class.new(StandardError)

  def setup
    @probe = RecordingProbe.new
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard:)
    @adapter = Holdup::Servers::Que.new(runtime: Runtime.new(recorder:))
  end

  def call(facts, error: nil)
    @adapter.call(Job.new(facts, error)) { :done }
    @probe.recorded.last
  end

  def test_a_job_has_its_queue_pool_priority_and_the_time_since_it_was_due
    unit = call({id: 7, queue: "mails", priority: 10, run_at: (Time.now.utc - 60).iso8601(6)})
    assert_equal ["mails", "queues mails", "10", false],
      [unit.queue, unit.pool, unit.priority, unit.error]
    assert_in_delta 60, unit.queued_ns / 1e9, 30
  end

  def test_an_exception_that_que_keeps_is_a_failure
    assert call({id: 7, queue: "mails", priority: 10, run_at: Time.now}, error: Broken.new).error
  end

  def test_a_job_that_runs_where_it_is_enqueued_was_never_due
    assert_nil call({queue: "mails", priority: 10}).queued_ns
  end

  def test_is_here_where_its_command_runs
    assert Holdup::Servers::Que.here?(program: "/app/bin/que")
    refute Holdup::Servers::Que.here?(program: "/app/bin/rails")
  end
end
