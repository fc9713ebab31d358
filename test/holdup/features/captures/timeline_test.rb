# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::TimelineTest < Minitest::Test
  def test_a_story_tells_short_periods_together
    ring = EventRing.new.running(2)
    ring.unit(1, 2, 0, 1000, name: "GET /hog") do
      40.times do |turn|
        at = 10 + turn * 20
        ring.suspended(2, at, unit: 1).ready(2, at + 5, unit: 1).resumed(2, at + 6, unit: 1)
      end
    end
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 1000))
    steps = Holdup::Captures::Timeline::UnitStory.new(scene, scene.units.first).call
    assert_operator steps.size, :<, 60
    assert_equal 1000, steps.sum(&:length)
    assert_operator steps.map(&:count).max, :>, 1
  end

  MS = 1_000_000

  # The hog holds from 0 to 100 ms; the light unit is ready at 10 ms and waits for it until 102 ms.
  def ring
    ring = EventRing.new(names: ["GET /hog", "GET /light"]).running(2).idle(3)
    ring.begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
    ring.suspended(2, 100 * MS, unit: 1).resumed(3, 102 * MS, unit: 2)
    ring.ends(1, 2, 103 * MS, name: "GET /hog").ends(2, 3, 110 * MS, name: "GET /light")
  end

  def scene = @scene ||= Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))

  def excerpt(**span) = Holdup::Captures::Timeline::Excerpt.new(scene, **span)

  def test_an_excerpt_cuts_the_waits_at_its_ends
    waits = excerpt(from: 40 * MS, to: 60 * MS).waits
    assert_equal [[40 * MS, 60 * MS]], waits.map { |wait| [wait.span.from, wait.span.to] }
    assert_equal [20 * MS], waits.map { |wait| wait.parts.sum(&:ticks) }
    assert_empty excerpt(from: 120 * MS, to: 150 * MS).waits
  end

  def test_the_whole_window_has_the_waits_of_the_scene
    assert_predicate excerpt, :whole?
    assert_same scene.waits, excerpt.waits
    refute_predicate excerpt(from: 1), :whole?
  end

  def test_an_excerpt_has_the_units_that_were_open_in_it
    assert_equal ["GET /hog", "GET /light"], excerpt.units.map(&:name)
    assert_equal ["GET /light"], excerpt(from: 104 * MS, to: 105 * MS).units.map(&:name)
    assert_empty excerpt(from: 110 * MS, to: 120 * MS).units
  end

  def test_the_handoff_of_a_wait_is_what_nobody_held_of_it
    wait = scene.waits.max_by { |one| one.span.length }
    assert_equal 92 * MS, wait.span.length
    assert_equal 2 * MS, wait.handoff
  end

  def test_the_story_of_a_unit_has_its_steps_and_its_waits
    light = scene.units.find { |unit| unit.name == "GET /light" }
    story = Holdup::Captures::Timeline::UnitStory.new(scene, light)
    assert_equal [[0, :idle], [8 * MS, :stalled], [100 * MS, :running]],
      story.call.map { |step| [step.from, step.state] }
    assert_equal [92 * MS], story.waits.map { |wait| wait.span.length }
  end

  def test_a_capture_that_caught_nothing_has_no_facts
    assert_empty Holdup::Captures::Timeline::CaptureMatches.facts(ring.bytes(to: 200 * MS))
  end
end
