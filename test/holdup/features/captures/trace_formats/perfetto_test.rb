# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::TraceFormats::PerfettoTest < Minitest::Test
  include ExportedTrace

  def test_perfetto_has_a_track_of_holders_and_an_arrow_to_who_waited
    trace = export(:perfetto)
    assert_equal ["pid 7", "GVL holder", "srv 1", "srv 1: units", "srv 1: GC", "srv 2", "srv 2: units"],
      trace.tracks
    assert_equal [["srv 1", 10 * MS], ["srv 2", 102 * MS]], trace.arrows.map { |one| [one.track, one.at_ns] }
    waited = trace.slices.find { |one| one.name == "stalled" }
    assert_equal [10 * MS, 102 * MS, {"unit" => 2, "waited_for" => "GET /hog"}],
      [waited.from_ns, waited.to_ns, waited.args]
    assert_equal [["GC", 20 * MS, 30 * MS]],
      trace.slices.select { |one| one.category == "gc" }.map { |one| [one.name, one.from_ns, one.to_ns] }
  end

  def test_perfetto_has_stacks_that_weigh_what_was_held
    ring = EventRing.new(threads: {2 => "srv 1"}).running(2)
    crunch = ["Report#crunch", "/srv/report.rb", 12]
    ring.stack(2, 20 * MS, ["C#call", nil, 0], crunch).stack(2, 60 * MS, crunch)
    samples = export(:perfetto, Holdup::Captures::Timeline::Scene.new(ring.recording(to: 100 * MS))).samples
    assert_equal [[2, 0, 40 * MS], [2, 40 * MS, 60 * MS]],
      samples.map { |one| [one.thread, one.at_ns, one.held_ns] }
    crunch = ["Report#crunch", "/srv/report.rb", 13]
    assert_equal [[["C#call", nil, 1], crunch], [crunch]], samples.map(&:frames)
  end
end
