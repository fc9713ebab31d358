# frozen_string_literal: true

require "test_helper"
require "holdup/model/recent_figures/codec"

class Holdup::RecentFigures::CodecTest < Minitest::Test
  Codec = Holdup::RecentFigures::Codec
  START = 1_790_000_040

  def window(series, count)
    empty = Holdup::Window.empty(series:, host: "a", start_s: START, seconds: 10)
    return empty if count.zero?
    random = Random.new(count)
    values = Array.new(count) { (1_000 * 10**(random.rand * 4)).round }
    histograms = empty.histograms.transform_values { Holdup::Histogram.of(values) }
    sums = empty.sums.transform_values { random.rand(1 << 40) }
    empty.with(count:, errors: 1, sums:, histograms:).spread_of([:wall])
  end

  def figures(series: 20, each: 12)
    names = Array.new(series) { |at| "Administration::Reports#{at}Controller#show" }
    all = names.map { |name| Holdup::Series.new(kind: :request, name:) }
    none = Holdup::Series.new(kind: :job, name: "ReportJob", queue: "low")
    time = Holdup::RecentFigures::HeldTime.new(held_ns: 7, covered_ns: 1 << 40, thread_ns: 1 << 42)
    Holdup::RecentFigures.new(host: "a", start_s: START, length_ms: 10_003,
      total: window(Holdup::RecentFigures::ALL, each * series), held: {"puma" => time},
      waited: waited(names.first(10)),
      series: [*all.map { |one| window(one, each) }, window(none, 0)],
      others: {job: window(Holdup::Series.new(kind: :job, name: Holdup::RecentFigures::ALL.name), 3)})
  end

  def waited(names)
    holders = names.each_with_index.to_h do |name, at|
      [name, Holdup::RecentFigures::HolderTime.new(kind: :request, waited_ns: 12_345_678 * at,
        held: {"puma" => 7_654_321 * at})]
    end
    Holdup::RecentFigures::WaitedTime.new(ns: 1 << 41, nobody_ns: 1 << 20, holders:)
  end

  # Version 1.
  def test_figures_without_holders_are_read_too
    length_ms, total, series, others, held = JSON.parse(Zlib.inflate(Codec.dump(figures).byteslice(1..)))
    former = held.map { |group, held_ns, covered_ns, _| [group, held_ns, covered_ns] }
    bytes = [1].pack("C") + Zlib.deflate(JSON.generate([length_ms, total, series, others, former]))
    read = Codec.load(bytes, host: "a", start_s: START)
    assert_nil read.waited
    assert_equal [figures.total, 0], [read.total, read.held.fetch("puma").thread_ns]
  end

  def test_everything_comes_back
    assert_equal figures, Codec.load(Codec.dump(figures), host: "a", start_s: START)
  end

  # 360 of them are an hour of a host.
  def test_a_round_of_twenty_series_has_few_bytes
    assert_operator Codec.dump(figures).bytesize, :<, 12_000
  end

  def test_a_longer_round_is_longer_than_ten_seconds
    longer = Codec.load(Codec.dump(figures.with(length_ms: 25_400)), host: "a", start_s: START)
    assert_equal [25], longer.series.map(&:seconds).uniq
  end

  def test_damaged_bytes
    bytes = Codec.dump(figures)
    ["", "\x03", bytes[0, 40], "\x01nonsense", [1].pack("C") + Zlib.deflate("[1]")].each do |damaged|
      assert_raises(Holdup::DamagedData) { Codec.load(damaged, host: "a", start_s: START) }
    end
  end
end
