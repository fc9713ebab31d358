# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::BlameTest < Minitest::Test
  # Figures as they are, so that they can be added up.
  class Exact < Holdup::Report::Sections::Stalls::StallMatrix
    private

    def duration(value) = value
  end

  def sample = @sample ||= SampleWindows.new

  def summary(windows = sample.to_a, **filter)
    filter = Holdup::Analysis::UnitFilter.new(**filter)
    Holdup::Analysis::Summary.new(windows, from_s: sample.from_s, to_s: sample.to_s, filter:)
  end

  def section(kind, summary, limit: 15)
    kind.new(summary, words: Holdup::View::Words.new, limit:).call
  end

  def test_rows_and_columns_of_the_matrix_add_up
    [[summary, 15], [summary, 3], [summary(name: "Orders*"), 15]].each do |summary, limit|
      found = section(Exact, summary, limit:)
      lines = [*found.rows, found.total].map do |line|
        line.drop(1).map { |figure| (figure == Holdup::View::Figures::NONE) ? 0 : figure }
      end
      lines.each { |*parts, whole| assert_equal whole, parts.sum }
      lines.transpose.each { |*parts, whole| assert_equal whole, parts.sum }
      assert_equal summary.blame.suffered_ns, found.total.last
    end
    assert_equal summary.pairs.select(&:informative?).uniq(&:victim).size + 1,
      section(Exact, summary).rows.size
    assert_nil section(Exact, summary([]))
  end

  def test_the_sum_of_a_column_is_what_its_cause_caused
    found = section(Exact, summary)
    assert_equal summary.blame.main_cause.caused,
      found.total[found.columns.index { |title| title.start_with?("Reports") }]
  end

  BlameTable = Holdup::Report::Sections::Stalls::BlameTable
  ONE_SIDE = "(one side only)"

  # Two seconds of waits whose holders have not counted them yet.
  def ahead
    stalled = Holdup::Histogram.of_sum(2_000_000_000)
    summary([*sample.to_a, sample.window("thread:a", kind: :account, queue: nil, histograms: {stalled:})])
  end

  def test_both_columns_come_to_the_total_also_where_one_side_is_ahead
    found = section(BlameTable, ahead)
    gap = found.rows.find { |row| row.first == ONE_SIDE }
    assert_equal ["2.00 s", ""], gap.values_at(1, 3)
    assert_equal found.total[1..2], found.total[3..4]
    assert_includes found.notes.join, "one column is ahead of the other"
    refute_includes section(BlameTable, summary).rows.map(&:first), ONE_SIDE
  end

  def test_says_what_of_the_stall_is_that_of_requests_and_jobs
    blame = ahead.blame
    units, threads = [blame.units_suffered_ns, blame.accounts.sum(&:suffered)].map do |ns|
      Holdup::View::Figures.duration(ns)
    end
    assert_includes section(BlameTable, ahead).notes,
      "Requests and jobs suffered #{units} of it, threads outside of them #{threads}."
  end

  # Ten endpoints that stall alike, one of which causes more than any of them stalls.
  def alike
    units = ("A".."J").to_h { |name|
      [name, {ms: {cpu: 10, stalled: 10}, acquisitions: 6, units: 50, blame: (name == "A") ? 38 : 7}]
    }
    summary(SampleWindows.new(units:, accounts: {}).to_a)
  end

  def test_pairs_of_which_nothing_is_known_are_one_line
    found = section(Holdup::Report::Sections::Stalls::StallPairTable, alike)
    assert_empty found.columns
    assert_empty found.rows
    unknown = "Not known: the bounds of all pairs are so wide that an estimate would only repeat the share " \
      "that each caused of all stall."
    assert_equal [unknown], found.notes
    assert_nil section(Holdup::Report::Sections::Stalls::StallMatrix, alike)
  end

  def test_pairs_that_are_known_stand_alone_and_the_others_are_counted
    found = section(Holdup::Report::Sections::Stalls::StallPairTable, summary)
    assert_operator found.rows.map { |row| row[2].to_f }.max, :>=, 10
    refute_includes found.rows.map { |row| row.values_at(2, 3) }, ["0", "100"]
    assert_match(/left out because their bounds are too wide: \d+\.\z/, found.notes.last)
  end

  def test_who_is_in_no_known_pair_has_no_column_in_the_matrix
    stalled = %w[V W].to_h { |name|
      [name, {ms: {cpu: 1, stalled: 20}, acquisitions: 6, units: 300, blame: 0}]
    }
    causers = {"X" => 48, "Y" => 30, "Z" => 22}.transform_values { |blame|
      {ms: {cpu: 20}, acquisitions: 6, units: 50, blame:}
    }
    unknown = summary(SampleWindows.new(units: stalled.merge(causers), accounts: {}).to_a)
    found = section(Holdup::Report::Sections::Stalls::StallMatrix, unknown)
    x, y = %w[X Y].map { |name| found.columns.index(name) }
    assert_nil x, "nothing is known of any pair of it"
    refute_includes found.rows.map { |row| row[y] }, Holdup::View::Figures::NONE
  end

  def test_long_holds_and_short_ones
    long, short = %w[Reports#long
      Orders#short].zip([[2, 20_000**2 * 2], [40, 1_000**2 * 40]]).map do |name, (acquisitions, squares)|
      sample.window(name, count: 1, sums: {acquisitions:, caused_ns: 5_000_000, hold_squares_us2: squares},
        histograms: {running: Holdup::Histogram.of([40_000_000])})
    end
    found = section(Holdup::Report::Sections::Stalls::StallOriginTable, summary([long, short]))
    rows = found.rows.map { |row| row.values_at(0, 3, 4, 7) }
    assert_equal ["Orders#short", "1.00 ms", "1.00 ms", "short holds"], rows.min
    assert_equal ["Reports#long", "20.0 ms", "20.0 ms", "long holds"], rows.max
    assert_equal 2, rows.size
    assert_match(/0 in total, 0 per acquisition/, found.notes.last)
    assert_nil section(Holdup::Report::Sections::Stalls::StallOriginTable, summary([]))
  end
end
