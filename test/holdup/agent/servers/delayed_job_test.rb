# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/servers/delayed_job"

# Names and times of Delayed Job's jobs; a real one is in test/integration/delayed_job_test.rb.
class Holdup::Servers::DelayedJobTest < Minitest::Test
  Runtime = Data.define(:recorder) do
    def pool_of(_queue) = "queues *"
  end
  Job = Data.define(:payload, :queue, :priority, :run_at, :name) do
    def initialize(payload:, queue: "mails", priority: 0, run_at: nil, name: "id 7") = super

    def payload_object = payload.is_a?(Exception) ? raise(payload) : payload
  end
  Report = Class.new
  Wrapper = Class.new { def self.name = "ActiveJob::QueueAdapters::DelayedJobAdapter::JobWrapper" }

  # Stands for the library.
  module Library
    DeserializationError = Class.new(StandardError)
    PerformableMethod = Data.define(:object, :method_name)
  end

  def setup
    Object.const_set(:Delayed, Library)
    @probe = RecordingProbe.new
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard:)
    @adapter = Holdup::Servers::DelayedJob.new(runtime: Runtime.new(recorder:))
  end

  def teardown = Object.send(:remove_const, :Delayed)

  def measure(payload, **more)
    @adapter.measure(Job.new(payload:, **more)) { nil }
    @probe.recorded.last
  end

  def test_a_job_is_named_by_its_class_whatever_it_calls_itself
    assert_equal Report.name, measure(Report.new).name
  end

  def test_a_delayed_call_is_named_by_its_method
    calls = {Library::PerformableMethod.new(Report.new, :build) => "#{Report.name}#build",
             Library::PerformableMethod.new(Report, :build_all) => "#{Report.name}.build_all"}
    calls.each { |payload, name| assert_equal name, measure(payload).name }
  end

  def test_a_job_whose_class_is_gone_has_the_name_in_its_text
    assert_equal "GoneJob", measure(Library::DeserializationError.new, name: "GoneJob").name
  end

  def test_active_jobs_are_left_to_their_own_callback
    assert_nil measure(Wrapper.new)
  end

  def test_waits_from_the_time_at_which_it_was_due
    unit = measure(Report.new, run_at: Time.now - 60.123456)
    assert_in_delta 60, unit.queued_ns / 1e9, 30
    assert_equal ["mails", "queues *", "0"], [unit.queue, unit.pool, unit.priority]
    assert_nil measure(Report.new).queued_ns
  end

  def test_times_in_whole_seconds_are_no_queue_times
    assert_nil measure(Report.new, run_at: Time.at(Time.now.to_i)).queued_ns
  end

  def test_is_here_where_its_command_runs
    assert Holdup::Servers::DelayedJob.here?(program: "bin/delayed_job")
    refute Holdup::Servers::DelayedJob.here?(program: "bin/rails")
  end

  def test_knows_the_tasks_of_its_workers
    task = Holdup::Servers::DelayedJob::TASK
    %w[jobs:work app:jobs:work jobs:workoff jobs:work[mails,urgent]].each { |name| assert_match task, name }
    %w[jobs:works myjobs:work jobs:clear].each { |name| refute_match task, name }
  end
end
