# frozen_string_literal: true

require "test_helper"
require "holdup/capture/event_log"
require "holdup/loader"

class Holdup::Captures::TraceFormats::FirefoxTest < Minitest::Test
  include ExportedTrace

  def test_firefox_has_samples_that_weigh_what_was_held
    ring = EventRing.new(threads: {2 => "srv 1"}).running(2)
    ring.stack(2, 20 * MS, ["C#call", nil, 0], ["Report#crunch", "/srv/report.rb", 12]).stack(2, 60 * MS,
      ["Report#crunch", "/srv/report.rb", 12])
    thread = export(:firefox,
      Holdup::Captures::Timeline::Scene.new(ring.recording(to: 100 * MS)))["threads"].first
    tables = %w[samples stackTable frameTable funcTable].map { |name| thread.fetch(name) }
    tables.each { |table| assert_equal [table["length"]], table.values.grep(Array).map(&:size).uniq }
    assert_equal [[40.0, 60.0], [1, 0]], thread["samples"].values_at("weight", "stack")
    assert_equal [[nil, 0], [0, 1]], thread["stackTable"].values_at("prefix", "frame")
    assert_equal [["Report#crunch", "C#call"], ["/srv/report.rb", nil]],
      thread["funcTable"].values_at("name",
        "fileName").map { |column| column.map { |index| index && thread["stringArray"].fetch(index) } }
  end

  def test_firefox_columns_are_of_one_length_and_point_into_their_tables
    exported = export(:firefox)
    exported["threads"].each do |thread|
      markers = thread["markers"]
      assert_equal [markers["length"]], markers.except("length").values.map(&:size).uniq
      assert_equal markers["startTime"].sort, markers["startTime"]
      assert_empty markers["category"].uniq - (0...exported["meta"]["categories"].size).to_a
      known = exported["meta"]["markerSchema"].map { |schema| schema["name"] }
      assert_empty markers["data"].map { |data| data["type"] }.uniq - known
      %w[samples stackTable frameTable funcTable resourceTable nativeSymbols].each { |table|
        assert_equal 0, thread.fetch(table).fetch("length")
      }
    end
    assert_equal %w[GC_PAUSE UNIT],
      exported["threads"].flat_map { |thread| thread["stringArray"] }.grep_v(/\ATHREAD/).uniq.sort
    assert_includes exported["threads"].flat_map { |thread| thread["markers"]["data"] },
      {"type" => "THREAD_STALLED", "id" => 2, "waited_for" => "GET /hog", "handoff" => 2.0}
  end
end
