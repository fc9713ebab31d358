# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

# What a recording's events say, event by event.
class Holdup::Captures::Timeline::EventReplayTest < Minitest::Test
  # Under M:N threads CRuby 4.0 lets a thread go on after SUSPENDED without READY and RESUMED. What comes next
  # says that it runs: an edge of a unit, or its next SUSPENDED. The probe counts all of it as running.
  def test_a_thread_that_went_on_without_an_event_ran_all_the_time_at_the_begin_of_a_unit
    ring = EventRing.new.running(1)
    ring.suspended(1, 100).running(1)
    ring.begins(1, 1, 300)
    ring.suspended(1, 1_000, unit: 1)
    assert_equal [[:running, 0, 1_000], [:idle, 1_000, 2_000]], spans(ring)
    assert_equal 1_000, running(ring)
  end

  def test_a_thread_that_went_on_without_an_event_ran_all_the_time_at_the_end_of_a_unit
    ring = EventRing.new.running(1)
    ring.begins(1, 1, 50)
    ring.suspended(1, 100, unit: 1).running(1)
    ring.ends(1, 1, 900, name: "GET /hog")
    ring.suspended(1, 1_000)
    assert_equal [[:running, 0, 1_000], [:idle, 1_000, 2_000]], spans(ring)
    unit = replay(ring).units.first
    inside = unit.lane.spans.select { |span| span.from >= unit.from && span.to <= unit.to }
    assert_equal [[:running], 850], [inside.map(&:state).uniq, inside.sum(&:length)]
  end

  def test_a_second_suspended_says_that_the_first_was_none
    ring = EventRing.new.running(1)
    ring.suspended(1, 100).suspended(1, 700)
    assert_equal [[:running, 0, 700], [:idle, 700, 2_000]], spans(ring)
  end

  # A collection is on a thread that runs, and a tick may have noticed it without an event of its own.
  def test_any_event_of_a_thread_that_runs_says_so
    ring = EventRing.new.running(1)
    ring.suspended(1, 100).running(1)
    ring.collected(1, 300, 400)
    ring.suspended(1, 1_000)
    assert_equal 1_000, running(ring)
  end

  def test_a_thread_that_was_really_idle_stays_so
    ring = EventRing.new.running(1)
    ring.suspended(1, 100).ready(1, 400).resumed(1, 410)
    ring.begins(1, 1, 500)
    ring.suspended(1, 1_000, unit: 1)
    assert_equal [[:running, 0, 100], [:idle, 100, 400], [:stalled, 400, 410], [:running, 410, 1_000],
      [:idle, 1_000, 2_000]], spans(ring)
  end

  # It started, and its first event is the edge of a unit.
  def test_a_thread_of_which_nothing_is_known_runs_from_the_edge_of_a_unit_on
    ring = EventRing.new.idle(2)
    ring.started(1, 100).running(1)
    ring.begins(1, 1, 300)
    ring.suspended(1, 1_000, unit: 1)
    assert_equal 700, running(ring)
  end

  private

  def replay(ring) = Holdup::Captures::Timeline::EventReplay.new(ring.recording(to: 2_000)).call

  def lane(ring) = replay(ring).lanes.find { |lane| lane.number == 1 }

  # Neighbours of one state are one: an edge of a unit cuts them.
  def spans(ring)
    runs = lane(ring).spans.slice_when { |one, other| one.state != other.state }
    runs.map { |run| [run.first.state, run.first.from, run.last.to] }
  end

  def running(ring) = lane(ring).sums[:running]
end
