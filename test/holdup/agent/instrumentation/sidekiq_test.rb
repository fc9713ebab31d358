# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/job_units"
require "holdup/agent/instrumentation/sidekiq"

class Holdup::Instrumentation::SidekiqTest < Minitest::Test
  NOW_NS = 1_700_000_000_500_000_000
  JOB = {"class" => "MailJob", "jid" => "b4a5", "queue" => "low", "args" => [1],
         "created_at" => 1_700_000_000_000}.freeze
  ACTIVE_JOB = {"class" => "Sidekiq::ActiveJob::Wrapper", "wrapped" => "WelcomeJob", "jid" => "b4a5",
                "args" => [{"job_id" => "c-1"}]}.freeze
  Stopped = Class.new(Interrupt)

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    recorder = Holdup::Recorder.new(probe: @probe, guard: Holdup::Guard.new(log: @log, clock: HandClock.new))
    @jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: HandClock.new(realtime_ns: NOW_NS))
  end

  def middleware(harmless = [], pools = {})
    Holdup::Instrumentation::Sidekiq.new(Holdup::Instrumentation::SidekiqRuns.new(@jobs, harmless, pools))
  end

  def perform(job = JOB, queue: "low", **more, &block)
    middleware([Stopped].freeze).call(nil, job.merge(more.transform_keys(&:to_s)), queue, &block || -> {})
  end

  def recorded = @probe.recorded.last

  def test_a_job_with_class_and_queue
    assert_equal :done, perform { :done }
    assert_equal [1, 2, "MailJob", "low", nil, false, nil, nil, nil, nil, "b4a5"], recorded.to_h.values
  end

  def test_a_job_that_can_not_be_read_runs_unmeasured
    assert_equal 3, middleware.call(nil, Object.new, "low") { 3 }
    assert_empty @probe.recorded
    assert_equal 1, @log.lines.size
  end

  def test_the_capsule_whose_thread_runs_it
    middleware = middleware([], {one: "default", two: "single"})
    Thread.new do
      Thread.current[:sidekiq_capsule] = :two
      middleware.call(nil, JOB, "low") {}
    end.join
    assert_equal ["single", nil], [recorded.pool, recorded.priority]
    middleware.call(nil, JOB, "low") {}
    assert_nil recorded.pool
  end

  def test_the_latency_from_what_sidekiq_7_and_8_write
    {1_700_000_000.25 => 250_000_000, 1_700_000_000_250 => 250_000_000, nil => nil,
     "soon" => nil}.each do |enqueued_at, expected|
      perform(enqueued_at:)
      expected ? assert_in_delta(expected, recorded.queued_ns, 1_000) : assert_nil(recorded.queued_ns)
    end
  end

  def test_a_job_from_the_future_has_not_waited
    perform(enqueued_at: 1_700_000_001_000)
    assert_equal 0, recorded.queued_ns
    assert_equal [Holdup::Probe::COUNTERS.fetch(:queued_clamped)], @probe.counted
  end

  def test_an_active_job_has_its_own_class_and_id
    again = @jobs.run("c-1", "WelcomeJob seen by Active Job", nil)
    perform(ACTIVE_JOB) { @jobs.measure(again) {} }
    assert_equal ["WelcomeJob"], @probe.recorded.map(&:name)
  end

  def test_a_job_that_says_how_it_wants_to_be_called
    perform(display_class: "UserMailer#welcome")
    assert_equal "UserMailer#welcome", recorded.name
  end

  def test_a_job_that_runs_another_inline
    perform { perform(JOB.merge("class" => "InnerJob", "jid" => "ffff")) }
    assert_equal %w[InnerJob MailJob], @probe.recorded.map(&:name)
  end

  def test_a_raise_is_an_error_and_an_interruption_is_none
    assert_raises(RuntimeError) { perform { raise "theirs" } }
    assert_raises(Stopped) { perform { raise Stopped } }
    assert_equal [true, false], @probe.recorded.map(&:error)
  end

  def test_a_job_that_can_not_be_read_runs
    assert_equal :done, perform(args: 5, wrapped: "Odd", enqueued_at: Float::NAN) { :done }
    assert_empty @probe.recorded
    assert_equal 1, @log.lines.size
  end

  def test_reads_nothing_of_a_job_while_it_does_not_measure
    @probe.disable
    assert_equal(:done, middleware.call(nil, nil, nil) { :done })
    assert_empty @log.lines
  end
end
