# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::Clickhouse::WindowColumnsTest < Minitest::Test
  include SampleMinutes

  WindowColumns = Holdup::Store::Clickhouse::WindowColumns
  HISTOGRAMS = Holdup::Window::HISTOGRAMS

  def test_a_window_comes_back_from_its_columns
    [minute(values: [1, 5_000, 5_001, 1 << 50]), minute(values: [])].each do |window|
      totals = WindowColumns.totals(columns(window, HISTOGRAMS), HISTOGRAMS)
      assert_equal window.to_h.slice(:count, :errors, :sums, :histograms), totals
    end
  end

  def test_of_histograms_that_are_not_wanted_count_and_sum_come_back
    window = minute(values: [5_000, 7_000])
    totals = WindowColumns.totals(columns(window, [:wall]), [:wall])
    assert_equal window.histograms[:wall], totals[:histograms][:wall]
    assert_equal Holdup::Histogram::CountAndSum.new(count: 2, sum: 12_000), totals[:histograms][:idle]
  end

  def test_numbers_that_are_not_wanted_are_neither_read_nor_missing
    window = minute(values: [5_000, 7_000])
    row = columns(window, [])
    all = Holdup::Store::Clickhouse::Schema::NUMBERS
    wanted = row.values_at(*%i[count errors gc_ns].map { |name| all.index(name) }) + row.drop(all.size)
    totals = WindowColumns.totals(wanted, [], [:gc_ns])

    assert_equal window.count, totals[:count]
    assert_equal window.sums.to_h { |name, sum| [name, (name == :gc_ns) ? sum : 0] }, totals[:sums]
    assert_equal 12_000, totals[:histograms][:wall].sum
    refute_includes WindowColumns.sums([], [:gc_ns]), "caused_ns"
  end

  private

  # As the server answers: numbers as text.
  def columns(window, wanted)
    row = WindowColumns.row(window).transform_keys(&:to_s)
    numbers = Holdup::Store::Clickhouse::Schema::NUMBERS.map { |name| row.fetch(name.to_s).to_s }
    numbers + HISTOGRAMS.flat_map do |name|
      parts = wanted.include?(name) ? %w[count sum min max zero] : %w[count sum]
      map = [row.fetch("#{name}.slot"), row.fetch("#{name}.n").map(&:to_s)]
      [*parts.map { |part| row.fetch("#{name}_#{part}").to_s }, *([map] if wanted.include?(name))]
    end
  end
end
