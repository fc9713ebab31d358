# frozen_string_literal: true

require "test_helper"
require "json"
require "holdup/capture/event_log"
require "holdup/loader"

# What holds in every format, and what each viewer asks of its own.
class Holdup::Captures::Timeline::TraceFormatsTest < Minitest::Test
  include ExportedTrace

  READERS = {
    json: ->(exported) {
      exported["threads"].map { |thread|
        thread["periods"].map { |one|
          [one["state"],
            one["to_ns"] - one["from_ns"]]
        }
      }
    },
    firefox: ->(exported) { exported["threads"].map { |thread| firefox_states(thread) } },
    perfetto: ->(exported) {
      exported.slices.select { |one| one.category == "state" }.group_by(&:track).values.map { |own|
        own.map { |one|
          [
            one.name, one.to_ns - one.from_ns
          ]
        }
      }
    },
    speedscope: ->(exported) {
      exported["profiles"].map { |profile|
        speedscope_states(profile,
          exported["shared"]["frames"])
      }
    }
  }.freeze
  FIREFOX = {"THREAD_RUNNING" => "running", "THREAD_STALLED" => "stalled", "THREAD_SUSPENDED" => "idle",
             "THREAD_UNKNOWN" => "unknown", "THREAD_ABSENT" => "absent"}.freeze

  def self.firefox_states(thread)
    markers = thread["markers"]
    named = markers["name"].map { |number| FIREFOX[thread["stringArray"].fetch(number)] }
    named.zip(markers["startTime"], markers["endTime"]).filter_map { |state, from, to|
      [state, ((to - from) * 1e6).round] if state
    }
  end

  # Frames that close are those that opened last.
  def self.speedscope_states(profile, frames)
    open = []
    closed = profile["events"].filter_map do |event|
      next (open << event) && nil if event["type"] == "O"
      begun = open.pop
      raise "a frame closes that is not open" unless begun["frame"] == event["frame"]
      [frames.fetch(event["frame"])["name"], event["at"] - begun["at"]]
    end
    raise "a frame stays open" if open.any?
    closed.select { |name, _| FIREFOX.value?(name) }
  end

  def test_the_states_of_a_thread_fill_the_window_in_each_format
    expected = sums(scene.lanes.map { |lane| lane.spans.map { |span| [span.state.to_s, span.length] } })
    assert_equal [200 * MS], expected.map { |own| own.values.sum }.uniq
    READERS.each { |format, states| assert_equal expected, sums(states.call(export(format))), format }
    assert_equal READERS.keys.sort, Holdup::Captures::TraceFormats::FORMATS.keys.sort
  end

  def test_each_format_names_units_and_whom_they_waited_for
    READERS.each_key do |format|
      text = Holdup::Captures::TraceFormats.call(scene, format)
      ["GET /hog", "GET /light", "srv 1", "srv 2"].each { |name| assert_includes text, name, format }
    end
  end

  def test_names_of_any_language
    ring = EventRing.new(names: ["GET /商品"], threads: {2 => "店"})
    ring.running(2).begins(1, 2, 1 * MS).ends(1, 2, 9 * MS, name: "GET /商品")
    ring.stack(2, 5 * MS, ["店#品", "/srv/店.rb", 12])
    named = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
    READERS.each_key do |format|
      trace = Holdup::Captures::TraceFormats.call(named, format).b
      ["店#品", "GET /商品"].each { |name| assert_includes trace, name.b, format }
    end
    assert_equal ["店: units", "店#品"],
      export(:perfetto, named).then { |trace| [trace.tracks.last, trace.samples.first.frames.first.first] }
  end

  def test_a_time_that_is_not_of_whole_nanoseconds_leaves_no_gap
    rate = scene.recording.header.with(rate: (1 << 32) / 3)
    odd = Holdup::Captures::Timeline::Scene.new(scene.recording.with(header: rate))
    READERS.each do |format, states|
      lengths = states.call(export(format, odd)).map { |own| own.sum(&:last) }
      assert_equal [odd.recording.length_ns], lengths.uniq, format
    end
  end

  def test_units_that_lie_in_each_other_get_tracks_of_their_own
    ring = EventRing.new(threads: {2 => "srv 1"}).running(2).begins(1, 2, 1 * MS).begins(2, 2, 10 * MS)
    ring.ends(2, 2, 20 * MS, name: "GET /light").ends(1, 2, 50 * MS, name: "GET /hog").begins(3, 2, 60 * MS)
    nested = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 200 * MS))
    READERS.each { |format, states|
      assert_equal [{"running" => 200 * MS}], sums(states.call(export(format, nested))), format
    }
    units = export(:perfetto, nested).slices.select { |one| one.category == "unit" }
    assert_equal [["GET /hog", "GET /light", "unfinished request or job"], ["srv 1: units"]],
      [units.map(&:name).sort, units.map(&:track).uniq]
  end

  def test_a_capture_without_events_is_empty_in_each_format
    none = Holdup::Captures::Timeline::Scene.new(EventRing.new(threads: {}).recording(to: 200 * MS))
    READERS.each { |format, states| assert_empty states.call(export(format, none)), format }
  end

  def test_ours_says_who_held_and_adds_up
    exported = export(:json)
    stalled = exported["threads"].last["periods"].find { |one| one["state"] == "stalled" }
    assert_equal [[2, 1, 90 * MS]], stalled["held_by"].map(&:values)
    assert_equal stalled["to_ns"] - stalled["from_ns"],
      stalled["handoff_ns"] + stalled["held_by"].sum { |one| one["ns"] }
    assert_equal [1, 7, nil, 200 * MS, true],
      exported.values_at("schema", "pid", "worker", "length_ns", "complete")
    assert_equal [["GET /hog", "request", 2], ["GET /light", "request", 3]],
      exported["units"].map { |unit| unit.values_at("name", "kind", "thread") }
    assert_equal [{"from_ns" => 20 * MS, "to_ns" => 30 * MS}],
      exported["threads"].flat_map { |thread| thread["collections"] }
  end

  def test_stacks_are_in_ours_and_in_speedscope
    ring = EventRing.new(threads: {2 => "srv 1"}).running(2).begins(1, 2, 1 * MS).ends(1, 2, 99 * MS,
      name: "GET /hog")
    ring.stack(2, 20 * MS, ["C#call", nil, 0], ["Report#crunch", "/srv/report.rb", 12]).stack(2, 60 * MS,
      ["Report#crunch", "/srv/report.rb", 12])
    seen = Holdup::Captures::Timeline::Scene.new(ring.recording(to: 100 * MS))
    exported = export(:json, seen)
    assert_equal [[[1, 1], [0, 13]], [[0, 13]]], exported["stacks"]
    assert_equal [[2, 20 * MS, "held", 0], [2, 60 * MS, "held", 1]], exported["samples"].map(&:values)
    crunch = {"label" => "Report#crunch", "path" => "/srv/report.rb", "line" => 12}
    call = {"label" => "C#call", "path" => nil, "line" => 0}
    assert_equal [crunch, call], exported["frames"]
    assert_equal 100 * MS, exported["methods"].sum { |row| row["held_ns"] }
    frames = export(:speedscope, seen)["shared"]["frames"].map { |frame| frame["name"] }
    assert_equal ["running", "Report#crunch", "C#call", "GET /hog"], frames
    READERS.each { |format, states|
      assert_equal [{"running" => 100 * MS}], sums(states.call(export(format, seen))), format
    }
  end

  # It waits 40 ms for the hog, 10 ms for another thread, and 1 ms for nobody before each of them goes on.
  def test_speedscope_gives_each_holder_its_own_part_of_a_wait
    threads = {2 => "srv 1", 3 => "srv 2", 4 => "srv 3"}
    ring = EventRing.new(names: ["GET /hog", "GET /light"], threads:).running(2).idle(3).idle(4)
    ring.begins(1, 2, 1 * MS).ready(3, 10 * MS).ready(4, 10 * MS).suspended(2, 50 * MS, unit: 1)
    ring.resumed(4, 51 * MS).suspended(4, 61 * MS).resumed(3, 62 * MS)
    exported = export(:speedscope, Holdup::Captures::Timeline::Scene.new(ring.recording(to: 70 * MS)))
    frames = exported["shared"]["frames"].map { |frame| frame["name"] }
    waited = exported["profiles"].find { |profile| profile["name"] == "srv 2" }
    waits = waited["events"].select { |event| frames[event["frame"]].start_with?("for ") }
    moments = waits.group_by { |event| frames[event["frame"]] }
    lengths = moments.transform_values { |events|
      events.each_slice(2).sum { |open, close| close["at"] - open["at"] }
    }
    expected = {"for unfinished request or job" => 40 * MS, "for hand-off" => 2 * MS, "for srv 3" => 10 * MS}
    assert_equal expected, lengths
  end

  private

  def sums(threads)
    threads.map { |states| states.group_by(&:first).transform_values { |own| own.sum(&:last) } }
  end
end
