# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::TopTest < Minitest::Test
  Top = Holdup::Report::Sections::Top
  START_S = SampleWindows::START_S

  def sample = @sample ||= SampleWindows.new

  def summary(windows = sample.to_a, **options)
    Holdup::Analysis::Summary.new(windows, from_s: START_S, to_s: START_S + 180, **options)
  end

  def section(kind, of = summary, limit: 3, **options)
    kind.new(of, words: Holdup::View::Words.new, limit:, **options).call
  end

  # @param caused [Hash{String => Integer}] milliseconds by name
  def causing(caused, kind: :request, **sums)
    caused.map do |name, ms|
      stalled = Holdup::Histogram.of([ms * 1_000_000])
      sample.window(name, kind:, count: 1, sums: {caused_ns: ms * 1_000_000, **sums}, histograms: {stalled:})
    end
  end

  def test_what_caused_most_comes_first
    found = section(Top::TopCauseTable, summary(causing({"A#small" => 10, "B#large" => 70, "C#no" => 0})))
    assert_equal [["B#large", "88 %", "70.0 ms"], ["A#small", "13 %", "10.0 ms"]],
      found.rows.map { |row| row.first(3) }
    assert_nil section(Top::TopCauseTable, summary([]))
  end

  def test_threads_and_the_handoff_can_be_causes
    windows = causing({"A#index" => 10}) + causing({"thread:reaper" => 80}, kind: :account) +
      causing({"(handoff)" => 30}, kind: :account)
    rows = section(Top::TopCauseTable, summary(windows)).rows
    assert_equal "(thread) reaper", rows.first.first
    assert_equal Holdup::View::Words.new.call(:handoff), rows[1].first
    assert_equal ["-", "-"], rows.first.last(2), "a thread outside of requests has no holds of requests"
  end

  def test_says_whether_a_cause_is_made_of_long_holds_or_of_short_ones
    shapes = {"Long#show" => [2, 20_000], "Short#show" => [40, 1_000]}
    windows = shapes.flat_map do |name, (acquisitions, hold_us)|
      causing({name => 50}, acquisitions:, hold_squares_us2: acquisitions * hold_us**2).map do |window|
        running = Holdup::Histogram.of([40_000_000])
        window.with(histograms: window.histograms.merge(running:))
      end
    end
    made_of = section(Top::TopCauseTable, summary(windows)).rows.to_h { |row| [row.first, row.last(2)] }
    assert_equal ["20.0 ms", "long holds"], made_of["Long#show"]
    assert_equal ["1.00 ms", "short holds"], made_of["Short#show"]
  end

  def test_victims_have_their_main_cause
    rows = section(Top::TopVictimTable, summary(pairs: sample.pairs)).rows
    assert_equal %w[OrdersController#index ProductsController#index], rows.map(&:first).first(2)
    assert_equal ["ReportsController#sales 70 %"] * 2, rows.map(&:last).first(2)
  end

  def test_victims_without_pairs_have_no_column_of_causes
    with, without = [sample.pairs, []].map { |pairs| section(Top::TopVictimTable, summary(pairs:)) }
    assert_equal with.columns.size - 1, without.columns.size
    assert_equal [without.columns.size], without.rows.map(&:size).uniq
  end

  def test_a_victim_of_itself_is_called_so
    itself = [sample.window("A#index", kind: :pair, queue: "A#index",
      histograms: {stalled: Holdup::Histogram.of_sum(10_000_000)})]
    row = section(Top::TopVictimTable, summary(causing({"A#index" => 10}), pairs: itself)).rows.first
    assert_equal "itself 100 %", row.last
  end

  def test_nobody_is_a_victim_where_nothing_stalled
    assert_nil section(Top::TopVictimTable, summary(causing({"A#index" => 0})))
    assert_empty Top::TopVictimTable.parts(summary(causing({"A#index" => 0})))
    assert_equal %i[pairs calls], Top::TopVictimTable.parts(summary)
  end

  def test_who_spends_most_time_in_a_state
    found = section(Top::TopStateTable, state: :lock)
    assert_equal ["CartsController#update"], found.rows.map(&:first)
    assert_equal "100 %", found.rows.first.last, "of all locks"
    assert_nil section(Top::TopStateTable, summary([]), state: :lock)
  end

  def test_rows_of_what_is_asked_for
    found = section(Top::TopRowTable, summary(by: :host), limit: 1)
    assert_equal ["web-1"], found.rows.map(&:first)
    assert_equal "2,220", found.rows.first[1]
    assert_equal ["... and 7 more (--limit)"], section(Top::TopRowTable, limit: 1).notes
  end
end
