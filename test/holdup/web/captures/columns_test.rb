# frozen_string_literal: true

require "test_helper"
require "holdup/capture/archive"
require "holdup/loader"

class Holdup::Web::Captures::ColumnsTest < Minitest::Test
  include CaptureColumns

  MS = 1_000_000

  # The hog holds for 100 ms. The light unit waits for 90 of them, and 2 ms while no thread holds.
  def ring
    ring = EventRing.new(names: ["GET /hog", "GET /light"], threads: {2 => "srv 1", 3 => "srv 2"})
    ring.running(2).idle(3).begins(1, 2, 1 * MS).begins(2, 3, 2 * MS).ready(3, 10 * MS, unit: 2)
    ring.collected(2, 20 * MS, 30 * MS).suspended(2, 100 * MS, unit: 1).resumed(3, 102 * MS, unit: 2)
    ring.ends(1, 2, 103 * MS, name: "GET /hog").ends(2, 3, 110 * MS, name: "GET /light")
  end

  def scene
    Holdup::Analysis::Timeline::Scene.new(ring.recording(to: 200 * MS))
  end

  def test_columns_add_up_to_what_the_timeline_says
    told = columns(Holdup::Web::Captures::Columns.new(scene).call)
    assert_equal scene.lanes.map { |lane| lane.spans.to_h { |span| [[span.from, span.to], span.state] } },
      told[:lanes].map { |lane| lane.to_h { |from, to, state, _| [[from, to], state] } }
    assert_equal scene.lanes.map { |lane| lane.spans.map(&:length).sum },
      told[:lanes].map { |lane| lane.sum { |from, to, *| to - from } }
    held = told[:holders].sum { |from, to, *| to - from }
    assert_equal held, scene.lanes.sum { |lane| lane.sums[:running] }
    assert_equal [["srv 1", 1], ["srv 2", 2]],
      told[:holders].map { |_, _, lane, unit|
        [told[:names][lane],
          unit]
      }.uniq.reject { |_, unit| unit.zero? }
  end

  def test_names_in_any_script
    ring = EventRing.new(names: ["GET /注文"], threads: {2 => "スレッド 🍣"}).running(2)
    ring.begins(1, 2, 1 * MS).suspended(2, 90 * MS, unit: 1).ends(1, 2, 103 * MS, name: "GET /注文")
    scene = Holdup::Analysis::Timeline::Scene.new(ring.recording(to: 200 * MS))
    told = columns(Holdup::Web::Captures::Columns.new(scene).call)
    assert_equal ["スレッド 🍣"], told[:names]
  end

  # Moments are rounded down to a nanosecond, so a sum of so many lengths is off by less than so many.
  def test_a_real_one_adds_up_by_state_and_by_method
    scene = Holdup::Analysis::Timeline::Scene.new(Holdup::Capture::Archive.read(KeptCapture::FILE))
    told = columns(Holdup::Web::Captures::Columns.new(scene).call)
    %i[running stalled idle].each do |state|
      spans = scene.lanes.flat_map(&:spans).select { |span| span.state == state }
      assert_in_delta scene.ns(spans.sum(&:length)),
        told[:lanes].flatten(1).sum { |from, to, shown, _| (shown == state) ? to - from : 0 }, spans.size
    end
    methods = Holdup::Analysis::Timeline::StackShares::MethodTable.new(scene).call
    holders = methods.select { |row| row.held.positive? }.group_by(&:method)
    held = holders.transform_values { |rows| scene.ns(rows.sum(&:held)) }
    seen = told[:holders].group_by { |_, _, _, _, method| told[:methods][method]&.split(" (")&.first }
    assert_equal held.keys.compact.sort, seen.keys.compact.sort
    held.each { |method, ns|
      assert_in_delta ns, seen.fetch(method).sum { |from, to, *| to - from }, told[:holders].size,
        method.inspect
    }
  end
end
