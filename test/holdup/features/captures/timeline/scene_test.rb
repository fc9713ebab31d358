# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Timeline::SceneTest < Minitest::Test
  MS = 1_000_000

  # The hog holds from 0 to 100 ms; the light unit is ready at 10 ms and waits for it until 102 ms.
  def scene
    ring = EventRing.new.running(2).idle(3)
    ring.unit(1, 2, 1 * MS, 100 * MS, name: "GET /hog") do
      ring.ready(3, 10 * MS)
      ring.suspended(2, 100 * MS - 1, unit: 1)
      ring.resumed(3, 102 * MS)
    end
    ring.unit(2, 3, 103 * MS, 110 * MS, name: "GET /light") { ring }
    Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
  end

  def test_every_lane_fills_the_window
    assert_equal [200 * MS], scene.lanes.map { |lane| lane.spans.sum(&:length) }.uniq
  end

  # What captures call a unit is used again after thirty thousand others.
  def test_the_caught_unit_is_the_one_that_ended_then
    ring = EventRing.new.running(2)
    ring.unit(1, 2, 1 * MS, 2 * MS, name: "GET /hog") { ring }
    ring.unit(1, 2, 3 * MS, 4 * MS, name: "GET /light") { ring }
    bytes = ring.bytes(to: 5 * MS)
    caught = ->(number) {
      bytes[312, 40] = [1, 0, 0, number, 0].pack("Q<5")
      recording = Holdup::Capture::EventLog.parse(bytes, path: "the ring")
      Holdup::Captures::Timeline::Scene.new(recording).caught.name
    }
    assert_equal ["GET /hog", "GET /light"], [caught.call(2), caught.call(5)]
  end

  def test_a_wait_says_for_whom
    wait = scene.waits.find { |one| one.lane.number == 3 }
    assert_equal 92 * MS, wait.span.length
    assert_equal [["GET /hog", 90 * MS - 1]], wait.parts.map { |part| [part.unit.name, part.ticks] }
    assert_equal 2 * MS + 1, wait.handoff
  end

  def test_units_have_their_parts
    light = scene.whole_units.find { |unit| unit.name == "GET /light" }
    assert_equal({running: 7 * MS}, scene.sums_of(light))
  end

  # The probe takes an edge's time before it looks at who waits: as few as none.
  def test_the_least_stall_that_a_unit_causes_is_zero
    scene = Holdup::Captures::Timeline::Scene.new(EventRing.new.running(2).begins(1, 2, 5, caused: 3).ends(1,
      2, 9, name: "GET /hog").recording(to: 20))
    assert_equal [0], scene.units.map(&:caused)
  end

  def test_a_unit_knows_its_trace
    trace = "0af7651916cd43dd0000000000000001"
    ring = EventRing.new.running(2).begins(1, 2, 5).ends(1, 2, 9, name: "GET /hog", trace:)
    ring.begins(2, 2, 10).ends(2, 2, 11, name: "GET /hog")
    assert_equal [trace, nil],
      Holdup::Captures::Timeline::Scene.new(ring.recording(to: 20)).units.map(&:trace)
  end

  # Newer events have replaced the one of its begin, or it began before the capture.
  def test_a_unit_whose_begin_is_not_in_the_window_has_its_name
    ring = EventRing.new.running(2).ready(3, 10).suspended(2, 80, unit: 1).resumed(3, 81).ends(1, 2, 90,
      name: "GET /hog")
    scene = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 100))
    assert_equal [["GET /hog", -1, 90, false]],
      scene.units.map { |unit| [unit.name, unit.from, unit.to, unit.whole?] }
    assert_equal [["GET /hog", 70]],
      scene.waits.flat_map(&:parts).map { |part| [part.unit&.name, part.ticks] }
  end
end
