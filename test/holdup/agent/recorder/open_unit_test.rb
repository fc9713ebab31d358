# frozen_string_literal: true

require "test_helper"
require "holdup/agent/recorder"

class Holdup::Recorder::OpenUnitTest < Minitest::Test
  JOB = Holdup::Probe::KINDS.fetch(:job)

  def setup
    @probe = RecordingProbe.new
    @recorder = Holdup::Recorder.new(probe: @probe,
      guard: Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new))
    @unit = Holdup::Recorder::OpenUnit.new(@recorder, JOB, "Report")
  end

  def test_ends_once
    @unit.open
    2.times { @unit.close }
    @unit.cancel
    assert_equal [1, 0], [@probe.recorded.size, @probe.cancelled.size]
    assert_predicate @unit, :closed?
  end

  def test_cancel_records_nothing
    @unit.open.cancel
    assert_equal [0, [1]], [@probe.recorded.size, @probe.cancelled]
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  def test_is_the_current_one_while_it_is_open
    @unit.open
    assert_same @unit, Holdup::Recorder::OpenUnit.current
    @unit.close
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  def test_ends_in_any_order
    inner = Holdup::Recorder::OpenUnit.new(@recorder, JOB, "inner")
    @unit.open
    inner.open
    @unit.close
    assert_same inner, Holdup::Recorder::OpenUnit.current
    inner.close
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  def test_what_it_kept_of_pools_is_charged_at_its_end
    clock = HandClock.new
    @unit.open.holding(clock).take
    clock.monotonic_ns = 9
    @unit.close
    assert_equal [[1, Holdup::Probe::CHARGES[:pool_held], 9]], @probe.charged
  end

  def test_charges_nothing_without_a_held_connection
    @unit.open.close
    assert_empty @probe.charged
  end

  def test_the_watcher_is_called_at_begin_and_end
    moments = []
    watcher = Object.new
    %i[opened closing closed].each do |moment|
      watcher.define_singleton_method(moment) { |unit| moments << [moment, unit.handle, unit.name] }
    end
    @recorder.watcher = watcher
    @unit.open.close
    Holdup::Recorder::OpenUnit.new(@recorder, JOB).open.cancel
    recorded = [[:opened, 1, "Report"], [:closing, 1, "Report"], [:closed, 1, "Report"]]
    cancelled = [[:opened, 2, nil], [:closed, 2, nil]]
    assert_equal recorded + cancelled,
      moments
  end

  def test_is_here_in_its_own_thread_only
    @unit.open
    assert_equal [true, false], [@unit.here?, Thread.new { Holdup::Recorder::OpenUnit.current.here? }.value]
    assert Fiber.new { Holdup::Recorder::OpenUnit.current.here? }.resume
    @unit.close
  end
end
