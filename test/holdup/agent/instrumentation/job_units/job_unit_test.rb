# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/agent/instrumentation/job_units"

class Holdup::Instrumentation::JobUnitTest < Minitest::Test
  def setup
    @probe = RecordingProbe.new
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    @recorder = Holdup::Recorder.new(probe: @probe, guard:)
  end

  def unit(id: "1")
    unit = Holdup::Instrumentation::JobUnit.new(@recorder, id, "MailJob", "low")
    unit.queued_ns = 5
    unit.open
  end

  def test_knows_its_job
    assert unit.for?("1")
    refute unit.for?("2")
    refute unit(id: nil).for?(nil)
  end

  def test_is_recorded_with_queue_and_latency
    unit.close
    assert_equal [1, 2, "MailJob", "low", 5, false, nil, nil, nil, nil, "1"], @probe.recorded.last.to_h.values
  end

  def test_a_failure_stays
    failed = unit
    failed.failed
    failed.close
    assert @probe.recorded.last.error
  end

  def test_the_application_may_name_it
    named = unit
    named.name = "MailJob welcome"
    named.close
    assert_equal "MailJob welcome", @probe.recorded.last.name
  end
end
