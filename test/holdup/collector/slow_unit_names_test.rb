# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::SlowUnitNamesTest < Minitest::Test
  L = Holdup::Segment::Layout
  Series = Holdup::Series
  Slot = Struct.new(:series)
  NOW_NS = 20_000 * 86_400 * Holdup::NS
  SLOTS = [Slot.new(Series.new(kind: :request, name: "A#b")),
    Slot.new(Series.new(kind: :call, name: "A#b", queue: "sql primary")), nil].freeze
  NAMELESS = {L::PAIR_UNKNOWN => "(unknown)", L::PART_OPEN => nil, 3 => "(unknown)", 99 => "(unknown)",
              1 => "A#b"}.freeze

  def entry(parts: [], index: 0, start_ns: NOW_NS - 90_000, id: nil, **rest)
    numbers = L::RING_FIELDS.to_h { |name| [name, 5] }
    unit = Holdup::Segment::RingEntry.new(**numbers, wall_ns: 10, series_index: index, start_ns:, trace: nil)
    parts = parts.map { |part| Holdup::Segment::SlowestPart.new(*part) }
    Holdup::Segment::SlowestEntry.new(unit:, parts:, io_ns: 1, lock_ns: 2, sleep_ns: 3, native_ns: 4,
      pool_wait_ns: 5, id:, **rest)
  end

  def units(*entries)
    process = Holdup::UnitSample::SampledProcess.new(pid: 7, since_ns: 1)
    source = Holdup::Collector::UnitSampler::SegmentSource.new(process:, setting: :setting,
      series: SLOTS.map { |slot| slot&.series })
    Holdup::Collector::SlowUnitNames.new(SLOTS, source, NOW_NS).call(entries)
  end

  def test_names_series_and_times
    slow = units(entry).first
    assert_equal ["A#b", 7], [slow.unit.series.name, slow.unit.process.pid]
    assert_equal [1, 2, 3, 4, 5], L::SLOWEST_TIMES.map { |name| slow.public_send(name) }
  end

  def test_names_holders_and_says_where_none_is_known
    parts = NAMELESS.keys.map { |who| [L::PART_PAIR, who, 7] }
    assert_equal NAMELESS.values, units(entry(parts:)).first.parts_of(:pair).map(&:name)
  end

  def test_kinds_of_waits
    pool = L::PART_PAIR + L::PAIR_KINDS.index(:pool_pair)
    waits = [[L::PART_CALL, 2, 7], [pool, 1, 8], [99, 1, 9], [L::PART_CALL, 3, 7]]
    parts = units(entry(parts: waits)).first.parts
    assert_equal [[:call, "sql primary"], [:pool_pair, "A#b"]], parts.map { |part| [part.kind, part.name] }
  end

  # Stores keep valid UTF-8 only.
  def test_an_id_is_text_or_unknown
    ids = ["0d1e".b, "日本".b, "\xFF".b, "a\nb".b, nil]
    assert_equal ["0d1e", "日本", nil, nil, nil], units(*ids.map { |id| entry(id:) }).map(&:id)
  end

  def test_leaves_out_what_cannot_be
    day_ns = 86_400 * Holdup::NS
    assert_empty units(entry(index: 2), entry(index: 9), entry(io_ns: 1 << 62),
      entry(start_ns: NOW_NS + day_ns), entry(start_ns: NOW_NS - 3 * day_ns))
  end
end
