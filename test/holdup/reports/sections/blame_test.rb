# frozen_string_literal: true

require "test_helper"
require "holdup/analysis"
require "holdup/reports/sections/makings"
require "holdup/reports/sections/matrix"
require "holdup/reports/words"

class Holdup::Reports::Sections::BlameTest < Minitest::Test
  # Figures as they are, so that they can be added up.
  class Exact < Holdup::Reports::Sections::Matrix
    private

    def duration(value) = value
  end

  def sample = @sample ||= SampleWindows.new

  def summary(windows = sample.to_a, **filter)
    Holdup::Analysis::Summary.new(windows, from_s: sample.from_s, to_s: sample.to_s, filter: Holdup::Analysis::Filter.new(**filter))
  end

  def section(kind, summary, limit: 15) = kind.new(summary, words: Holdup::Reports::Words.new, limit:).call

  def test_rows_and_columns_of_the_matrix_add_up
    [[summary, 15], [summary, 3], [summary(name: "Orders*"), 15]].each do |summary, limit|
      found = section(Exact, summary, limit:)
      lines = [*found.rows, found.total].map { |line| line.drop(1) }
      lines.each { |*parts, whole| assert_equal whole, parts.sum }
      lines.transpose.each { |*parts, whole| assert_equal whole, parts.sum }
      assert_equal summary.blame.suffered_ns, found.total.last
      assert_equal summary.blame.main_cause.caused, found.total[found.columns.index { |title| title.start_with?("Reports") }]
    end
    assert_equal 8 + 1, section(Exact, summary).rows.size
    assert_nil section(Exact, summary([]))
  end

  def test_long_holds_and_short_ones
    long, short = %w[Reports#long Orders#short].zip([[2, 20_000**2 * 2], [40, 1_000**2 * 40]]).map do |name, (acquisitions, squares)|
      sample.window(name, count: 1, sums: {acquisitions:, caused_ns: 5_000_000, hold_squares_us2: squares}, histograms: {running: Holdup::Histogram.of([40_000_000])})
    end
    found = section(Holdup::Reports::Sections::Makings, summary([long, short]))
    assert_equal [["Reports#long", "20.0 ms", "20.0 ms", "long holds"], ["Orders#short", "1.00 ms", "1.00 ms", "short holds"]].sort, found.rows.map { |row| row.values_at(0, 3, 4, 7) }.sort
    assert_match(/0 in all, 0 for each time/, found.notes.last)
    assert_nil section(Holdup::Reports::Sections::Makings, summary([]))
  end
end
