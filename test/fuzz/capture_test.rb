# frozen_string_literal: true

require "test_helper"
require "fuzz/fuzzing"
require "holdup/capture/event_log"
require "holdup/capture/archive"
require "holdup/capture/header"
require "holdup/loader"

# The file of a capture, damaged at random: a reader gets an error, or a part of the story.
class CaptureFuzzTest < Minitest::Test
  include Fuzzing

  MS = 1_000_000

  one_ruby repeated def test_a_damaged_file_is_refused_or_shown_in_part
    outcomes = fuzz(600, thorough: 4_000) do |input|
      bytes = damage.call(input.random)
      shown = outcome { show(bytes, input) }
      kept = outcome do
        facts = Holdup::Captures::Timeline::CaptureMatches.facts(bytes)
        Holdup::Capture::Reason.add(bytes.dup, facts)
      end
      [shown, kept]
    end
    assert_operator outcomes[%i[fine fine]], :>, outcomes.values.sum / 5
    assert_operator outcomes[%i[refused refused]], :>, outcomes.values.sum / 5
  end

  repeated def test_a_damaged_packed_file_is_refused_or_shown_in_part
    packed = Zlib.gzip(whole)
    damage = Damage.new(packed, head: 16, events: 0...packed.bytesize)
    Dir.mktmpdir do |folder|
      path = File.join(folder, "20261121T144640Z-4711#{Holdup::Capture::Archive::SUFFIX}")
      outcomes = fuzz(60, thorough: 1_500) do |input|
        File.binwrite(path, damage.call(input.random))
        assert_kind_of Hash, Holdup::Capture::ArchivedCapture.at(path).facts
        outcome { Holdup::Capture::Archive.read(path) }
      end
      assert_operator outcomes[:refused], :>, outcomes.values.sum / 5
    end
  end

  # Facts are shown, and kept again.
  def test_ignores_facts_that_are_not_text
    bytes = whole.tap { |file| file[2052, 9] = "{\"a\":\"\xff\"".b }
    assert_equal({}, Holdup::Capture::Reason.of(bytes))
  end

  private

  def outcome
    yield
    :fine
  rescue Holdup::DamagedData
    :refused
  end

  def damage
    @damage ||= Damage.new(whole, head: 496, events: events)
  end

  def events
    (whole.bytesize - 32 * whole.unpack1("Q<", offset: 64))...whole.bytesize
  end

  def whole
    bytes = ring.bytes(to: 200 * MS)
    bytes[312, 40] = [2, 92 * MS, 107 * MS, 15, 1].pack("Q<5")
    Holdup::Capture::Reason.add(bytes, {"trigger" => "rule", "rule" => "stall > 50 ms"})
  end

  def ring
    ring = EventRing.new.running(2).idle(3)
    ring.unit(1, 2, 1 * MS, 100 * MS, name: "GET /hog") do
      ring.ready(3, 10 * MS).stack(2, 50 * MS, ["Report#crunch", "/srv/report.rb", 12],
        ["Array#each", nil, 0], unit: 1)
      ring.collected(2, 60 * MS, 80 * MS).suspended(2, 100 * MS - 1, unit: 1).resumed(3, 102 * MS)
    end
    ring.begins(2, 3, 103 * MS).stack(3, 103 * MS, ["Orders#index", "/srv/orders.rb", 3], kind: :stalled,
      unit: 2)
    ring.suspended(3, 104 * MS, unit: 2).ready(3, 108 * MS, kind: :sleep, unit: 2).resumed(3, 109 * MS,
      unit: 2)
    ring.pool_wait(3, 109 * MS, 3 * MS, unit: 2).ends(2, 3, 110 * MS, name: "GET /light",
      trace: "0af7651916cd43dd8448eb211c80319c")
  end

  # All that shows a capture, in turn: everything for each case would take five times as long.
  def show(bytes, input)
    scene = Holdup::Captures::Timeline::Scene.new(Holdup::Capture::EventLog.parse(bytes, path: "file"))
    words = Holdup::View::Words.new(input.one_of(%w[en ja]))
    case input.random.rand(4)
    when 0 then Holdup::Captures::TraceFormats.call(scene,
      input.one_of(Holdup::Captures::TraceFormats::FORMATS.keys))
    when 1 then Holdup::Captures::Reader::Columns.new(scene).call
    when 2 then report(scene, words)
    else scene.units.each { |unit| story(scene, unit, words) }
    end
  end

  def report(scene, words)
    holders = Holdup::Captures::Timeline::HolderTable.new(scene)
    patterns = Holdup::Captures::Timeline::Patterns.new(scene).call
    page = Holdup::Captures::TimelineReport.new(scene, holders:, patterns:,
      methods: Holdup::Captures::Timeline::StackShares::MethodTable.new(scene).call, words:).page
    Holdup::View::Text.new(page, width: 120).call
  end

  def story(scene, unit, words)
    story = Holdup::Captures::Timeline::UnitStory.new(scene, unit)
    Holdup::View::Text.new(Holdup::Captures::TimelineStory.new(scene, unit, story:, words:).page).call
  end
end
