# frozen_string_literal: true

require "native/native_helper"
require "holdup/agent/guard"
require "holdup/agent/instrumentation/sidekiq"
require "support/job_edges"

# What C reads of a job is what Ruby would read.
class JobEdgesTest < NativeTest
  RANDOM = Random.new(7)
  VALUES = {
    "class" => ["MailJob", :MailJob, nil, 5],
    "wrapped" => ["WelcomeJob", nil, false],
    "display_class" => ["UserMailer#welcome", nil, :Odd],
    "jid" => ["b4a5", nil],
    "args" => [[], [1], [{"job_id" => "c-1"}], [{"job_id" => nil}], {"job_id" => "c-1"}, nil],
    "enqueued_at" => [1_700_000_000.25, 1_700_000_000_250, 1_700_000_000, 0, -1.5, -7, 99_999_999_999,
      100_000_000_000, 10**12, 10**13, 10**30, -10**30, 1e12, 9.1e9, 3r / 7, "soon", nil],
    1 => ["a key that is no text"]
  }.freeze

  def test_facts_are_those_that_ruby_reads
    2_000.times do
      job = VALUES.to_a.sample(RANDOM.rand(0..7), random: RANDOM).to_h do |key, values|
        [key, values.sample(random: RANDOM)]
      end
      assert_equal JobEdges.facts(job), runs.send(:facts, job), job.inspect
    end
  end

  def test_a_time_that_is_no_number_is_raised
    assert_raises(FloatDomainError) { Probe::JobStarts.ready_ns(Float::NAN) }
  end

  def test_what_is_no_job_is_raised
    assert_raises(TypeError) { runs.send(:facts, "a job") }
  end

  private

  def runs
    @runs ||= begin
      guard = Holdup::Guard.new(log: $stderr, clock: HandClock.new)
      recorder = Holdup::Recorder.new(probe: Probe, guard:)
      jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: HandClock.new)
      Holdup::Instrumentation::SidekiqRuns.new(jobs, [])
    end
  end
end
