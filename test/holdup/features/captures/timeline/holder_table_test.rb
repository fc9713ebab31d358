# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::Timeline::HolderTableTest < Minitest::Test
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

  def test_holders_come_with_what_they_caused
    holders = Holdup::Captures::Timeline::HolderTable.new(scene)
    row = holders.call.first
    assert_equal ["GET /hog", 90 * MS - 1, 1], [row.name, row.caused, row.waits]
    assert_equal scene.waits.sum { |wait| wait.span.length }, holders.call.sum(&:caused) + holders.handoff
  end

  def rows(...) = Holdup::Captures::Timeline::HolderTable.new(...).call

  def test_a_holder_has_all_that_it_held_and_its_longest_hold
    hog = rows(scene).find { |row| row.name == "GET /hog" }
    assert_equal 99 * MS - 1, hog.held, "also what nobody waited for"
    assert_operator hog.longest, :>=, hog.held
  end

  def test_threads_outside_of_requests_have_rows_by_their_names
    ring = EventRing.new(threads: {2 => "reaper"}).running(2).idle(3).ready(3, 10 * MS)
    ring.suspended(2, 30 * MS).resumed(3, 30 * MS).suspended(3, 31 * MS).resumed(2, 32 * MS)
    found = rows(Holdup::Captures::Timeline::Scene.new(ring.recording(to: 50 * MS))).first
    assert_equal [nil, "reaper", 20 * MS], [found.name, found.thread, found.caused]
    assert_equal 30 * MS, found.longest, "the first of its two holds"
  end

  # As a page of one request shows it.
  def test_waits_of_one_unit_only
    assert_empty rows(scene, waits: [])
    assert_equal 0, Holdup::Captures::Timeline::HolderTable.new(scene, waits: []).handoff
  end
end
