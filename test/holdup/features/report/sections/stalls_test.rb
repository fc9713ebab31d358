# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::StallsTest < Minitest::Test
  # Figures as they are, so that they can be added up.
  class Exact < Holdup::Report::Sections::Stalls::StallMatrix
    private

    def duration(value) = value
  end

  def sample = @sample ||= SampleWindows.new

  def summary(windows = sample.to_a, pairs: sample.pairs, **filter)
    filter = Holdup::Analysis::UnitFilter.new(**filter)
    Holdup::Analysis::Summary.new(windows, from_s: sample.from_s, to_s: sample.to_s, filter:, pairs:)
  end

  def section(kind, summary, limit: 15)
    kind.new(summary, words: Holdup::View::Words.new, limit:).call
  end

  def test_rows_of_the_matrix_add_up_to_what_each_suffered
    [[summary, 15], [summary, 3], [summary(name: "Orders*"), 15]].each do |summary, limit|
      found = section(Exact, summary, limit:)
      found.rows.each { |_, *parts, whole| assert_equal whole, parts.sum(&:text) }
      assert_equal [summary.pairs.uniq(&:victim).size, limit].min, found.rows.size
    end
    whole = section(Exact, summary).rows.sum(&:last)
    assert_equal summary.blame.suffered_ns, whole
    assert_nil section(Exact, summary([], pairs: []))
  end

  def test_the_matrix_has_nobody_and_threads_and_what_still_runs
    pairs = sample.pairs.reject { |pair| pair.series.queue.start_with?("Reports") }
    found = section(Exact, summary(pairs:))
    assert_includes found.columns, "nobody (hand-off)"
    assert_includes found.rows.map(&:first), "(thread) main"
    running = found.columns.index("still running")
    assert_operator found.rows.map { |row| row[running].text }.min, :>, 0
    assert_empty found.columns.grep(/Reports/)
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

  def test_there_is_no_table_of_zeros_where_no_thread_waited
    units = SampleWindows::STOREFRONT.transform_values do |shape|
      shape.merge(ms: shape[:ms].except(:stalled))
    end
    calm = SampleWindows.new(units:, handoff: 0.0, accounts: {"main" => 0.0})
    assert_nil section(BlameTable, summary(calm.to_a))
  end

  def test_says_what_of_the_stall_is_that_of_requests_and_jobs
    blame = ahead.blame
    units, threads = [blame.units_suffered_ns, blame.accounts.sum(&:suffered)].map do |ns|
      Holdup::View::Figures.duration(ns)
    end
    assert_includes section(BlameTable, ahead).notes,
      "Requests and jobs suffered #{units} of it, threads outside of them #{threads}."
  end

  PairTable = Holdup::Report::Sections::Stalls::StallPairTable

  def test_each_victim_names_its_main_causer
    found = section(PairTable, summary)
    assert_equal "ReportsController#sales -> OrdersController#index", found.rows.first.first
    assert_match(/\AReportsController#sales caused \d+ % of the GVL wait of OrdersController#index\./,
      found.notes.first)
    assert_operator found.rows.map { |row| row[1].to_f }.min, :>=, 5
  end

  def test_pairs_that_were_not_recorded_are_one_line
    found = section(PairTable, summary(pairs: []))
    assert_empty found.columns
    assert_match(/\ANot recorded: /, found.notes.first)
    assert_nil section(PairTable, summary([], pairs: []))
    assert_nil section(Holdup::Report::Sections::Stalls::StallMatrix, summary(pairs: []))
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

  def test_how_requests_wait_before_they_start_and_use_the_gvl
    ms = {queued: [2, 30], longest_hold: [5, 70]}
    histograms = ms.transform_values { |values| Holdup::Histogram.of(values.map { |one| one * 1_000_000 }) }
    sums = {acquisitions: 12, preemptions: 3, cpu_ns: 50_000_000}
    orders = sample.window("Orders#index", count: 2, sums:, histograms:)
    found = section(Holdup::Report::Sections::Stalls::HoldTable, summary([orders]))
    assert_equal ["Orders#index", "2.00 ms", "30.0 ms", "70.0 ms", "70.0 ms", "6.00", "1.50", "25.0 ms"],
      found.rows.first
    assert_equal found.rows.first.drop(1), found.total.drop(1)
  end

  def test_rows_of_the_matrix_lead_to_the_pages_of_requests_and_jobs_only
    kind = Holdup::Report::Sections::Stalls::StallMatrix
    link = ->(party) { Holdup::View::Blocks::Link.new(text: party.name, page: "unit") }
    rows = kind.new(summary, words: Holdup::View::Words.new, limit: 15, link:).call.rows.map(&:first)
    linked, plain = rows.partition { |cell| cell.is_a?(Holdup::View::Blocks::Link) }
    short = SampleWindows::STOREFRONT.keys.map { |name| name.sub("Controller#", "#") }
    assert_equal short.sort, linked.map(&:text).sort, "a whole name would have to be cut"
    assert_equal ["(thread) main"], plain
  end
end
