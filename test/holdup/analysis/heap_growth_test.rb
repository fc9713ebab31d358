# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Processes of a simulated hour, whose memory grows as is planted.
class Holdup::Analysis::HeapGrowthTest < Minitest::Test
  MINUTES = 90
  FROM_S = 1_790_000_040
  KB = 1024
  NAMES = %w[A#leaks B#busy C#calm].freeze

  def setup
    @random = Random.new(3)
    @counts = Array.new(MINUTES) do
      {"A#leaks" => draw(20..60), "B#busy" => draw(50..400), "C#calm" => draw(0..9)}
    end
  end

  def draw(range) = @random.rand(range)

  # Of the whole host, from minute to minute.
  def sizes(noise_kb: 300)
    size = 500_000 * KB
    [size, *@counts.map { |counts| size += yield(counts) + draw(-noise_kb..noise_kb) * KB }]
  end

  def names(sizes, born_s: FROM_S - 3600, counts: @counts, **options)
    samples = sizes.each_with_index.flat_map do |size, minute|
      Array.new(2) do |pid|
        {at_s: FROM_S + 60 * minute, host: "web-1", pid: pid + 1, start: 1, since_s: born_s,
         rss_bytes: size / 2}
      end
    end
    Holdup::Analysis::HeapGrowth.new(samples, windows(counts), **options).names
  end

  def windows(counts)
    counts.each_with_index.flat_map do |minute, index|
      minute.map do |name, count|
        series = Holdup::Series.new(kind: :request, name:)
        start_s = FROM_S + 60 * index
        Holdup::Window.empty(series:, setting: nil, host: "web-1", start_s:, seconds: 60).with(count:)
      end
    end
  end

  def test_names_what_the_memory_grows_with
    found = names(sizes { |counts| counts["A#leaks"] * 30 * KB })
    assert_equal ["A#leaks"], found.map(&:name)
    growing = found.first
    assert_in_delta 30 * KB, growing.each_bytes, 3 * growing.error_bytes
    assert_operator growing.share, :>, 0.8
    least, most = growing.each_within
    assert_in_delta 2 * 2.1 * growing.error_bytes, most - least, 1e-6
  end

  def test_names_that_are_not_frequent_may_come_together
    rare = Array.new(9) { |index| "D#rare#{index}" }
    all = @counts.map { |minute| rare.to_h { |name| [name, draw(0..4)] }.merge(minute) }
    frequent = Holdup::Analysis::HeapGrowth.most_frequent(windows(all))
    together = all.map do |minute|
      others = minute.except(*frequent).values.sum
      {Holdup::Analysis::HeapGrowth::OTHERS => others}.merge(minute.slice(*frequent))
    end
    grown = sizes { |counts| counts["A#leaks"] * 30 * KB }

    assert_equal frequent.size, Holdup::Analysis::HeapGrowth::NAMES
    assert_equal names(grown, counts: all), names(grown, counts: together)
  end

  def test_a_host_that_stands_for_four_grows_four_times_as_much
    grown = sizes { |counts| counts["A#leaks"] * 30 * KB }
    one, four = [1, 4].map { |each_host| names(grown, each_host:).first }

    assert_in_delta 4 * one.bytes, four.bytes, 1
    assert_equal 4 * one.grown_bytes, four.grown_bytes
    assert_equal [one.each_bytes, one.share], [four.each_bytes, four.share]
  end

  def test_growth_that_comes_anyway_has_no_name
    assert_empty names(sizes { |_counts| 500 * KB })
  end

  one_ruby def test_no_growth_has_no_name
    100.times do
      counts = @counts.map { |minute| minute.transform_values { |count| [count + draw(-5..5), 0].max } }
      assert_empty names(sizes { 0 }, counts:)
    end
  end

  def test_names_that_rise_together_are_not_told_apart
    @counts.each { |counts| counts["B#busy"] = 3 * counts["A#leaks"] }
    assert_empty names(sizes { |counts| counts["A#leaks"] * 30 * KB })
  end

  def test_nothing_is_said_of_a_short_recording_or_of_young_processes
    grown = sizes { |counts| counts["A#leaks"] * 30 * KB }
    assert_empty names(grown.first(21), counts: @counts.first(20))
    assert_empty names(grown, born_s: FROM_S + 75 * 60)
    assert_empty names([])
  end

  def test_least_squares
    rows = [[1, 1, 0], [2, 1, 0], [3, 1, 0], [4, 1, 0]]
    coefficients, errors = Holdup::Analysis::HeapGrowth::LeastSquares.call(rows, [5, 7, 9, 11])
    [2, 3, 0].zip(coefficients) { |expected, found| assert_in_delta expected, found, 1e-6 }
    assert_operator errors.first(2).max, :<, 1e-6
    assert_equal Float::INFINITY, errors.last
  end
end
