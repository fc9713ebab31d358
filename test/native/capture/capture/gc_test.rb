# frozen_string_literal: true

require "native/capturing"
require "holdup/loader"

# A collection of garbage that takes long because there is much to mark: the capture says that it was what
# another unit waited for.
class CaptureGcTest < NativeTest
  include Capturing::Named

  LONG_NS = Holdup::Captures::Timeline::Patterns::GC_NS
  WORDS = Holdup::View::Words.new("en")

  def test_a_long_collection_is_named_as_what_another_unit_waited_for
    heap = grown
    scene = Holdup::Captures::Timeline::Scene.new(captured { collect_beside_a_light_unit })
    heap.clear
    assert_operator scene.collections.map { |_, from, to| scene.ns(to - from) }.max, :>=, LONG_NS
    assert_in_the_holds(scene)
    found = Holdup::Captures::Timeline::Patterns.new(scene).call.find { |pattern| pattern.key == :gc_pause }
    assert_operator found.facts.fetch(:waited_ns), :>, 0
    assert_shown(scene)
  end

  private

  # So much that to mark it takes longer than any machine's noise.
  def grown
    heap = []
    30.times do
      before = GC.total_time
      GC.start
      return heap if GC.total_time - before >= LONG_NS * 3
      heap.concat(Array.new(200_000) { [heap.size] })
    end
    flunk "#{heap.size} arrays are marked in no time"
  end

  def collect_beside_a_light_unit
    begun = collected = false
    light = unit("GET /light") { (begun = true) && GvlWork.wait(100_000) until collected }
    wait_until { begun }
    unit("GET /garbage") { collect }.join
    collected = true
    light.join
  end

  # Until the other was seen waiting after it three times: on a busy machine it comes when it does.
  def collect
    seen = 0
    100.times do
      GC.start
      seen += 1 if Probe.snapshot[:waiting_threads].positive?
      break if seen == 3
    end
  end

  # All that the probe counted as collecting, to the tick, and nowhere else.
  def assert_in_the_holds(scene)
    in_holds = scene.holds.sum { |hold| scene.collecting(hold.lane, hold.from, hold.to) }
    assert_equal scene.recording.header.sums[:gc], in_holds
  end

  def assert_shown(scene)
    holders = Holdup::Captures::Timeline::HolderTable.new(scene)
    report = Holdup::Captures::TimelineReport.new(scene, holders:,
      patterns: Holdup::Captures::Timeline::Patterns.new(scene).call, words: WORDS)
    assert_match(/ %\) for GET \/garbage.*, \S+ m?s of it in garbage collection\.\z/, spaced(report.answer))
    assert_match(/\AGC PAUSE: /, report.findings.find { |finding| finding.start_with?("GC") })
    light = scene.whole_units.find { |unit| unit.name == "GET /light" }
    story = Holdup::Captures::TimelineStory.new(scene, light,
      story: Holdup::Captures::Timeline::UnitStory.new(scene, light), words: WORDS)
    garbage = /\S+ m?s of it in garbage collection/
    assert_match(
      /waiting for the GVL: \S+ m?s \(\S+ %\) for GET \/garbage.*, #{garbage}/, spaced(story.answer)
    )
    waited = /waited for GET \/garbage \(thread .*\) \S+ m?s, .*#{garbage}/
    assert(story.rows.any? { |_, _, text| spaced(text).match?(waited) })
  end

  # No line ends within a name.
  def spaced(text) = text.to_s.tr("\u00a0", " ")
end
