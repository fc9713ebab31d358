# frozen_string_literal: true

require "test_helper"
require "holdup/agent/stats_log"

class Holdup::StatsLog::ScheduleTest < Minitest::Test
  def setup
    @clock = HandClock.new
  end

  def schedule(share: 1.0, seed: 3)
    Holdup::StatsLog::Schedule.new(every_s: 60, share:, clock: @clock, random: Random.new(seed))
  end

  # Seconds at which it was due, within so many.
  def times(schedule, seconds)
    (1..seconds).select { @clock.monotonic_ns += 1_000_000_000 and schedule.due? }
  end

  def test_every_so_often_with_jitter
    times = times(schedule, 3600)
    assert_operator times.first, :<=, 60
    gaps = times.each_cons(2).map { |one, other| other - one }
    assert_operator gaps.uniq.size, :>, 4
    assert_empty gaps.reject { |gap| gap.between?(54, 67) }
  end

  def test_processes_begin_at_different_times
    assert_operator Array.new(10) { |seed| schedule(seed:).then { |each| times(each, 61).first } }.uniq.size,
      :>, 5
  end

  def test_a_share_of_the_lines
    assert_in_delta 60, times(schedule(share: 0.25), 240 * 60).size, 20
    assert_empty times(schedule(share: 0), 6000)
  end

  def test_a_process_that_was_stopped_does_not_make_up_for_it
    schedule = schedule()
    @clock.monotonic_ns += 86_400 * 1_000_000_000
    assert_equal [true, false], [schedule.due?, schedule.due?]
  end
end
