# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::TransactionTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  ORDERS = "OrdersController#index"

  def window(kind, queue, count: 300, rolled_back: 0, **ms)
    histograms = ms.except(:starved).transform_values { |each| Holdup::Histogram.of([each * MS] * count) }
    SAMPLE.window(ORDERS, kind:, queue:, count:, errors: rolled_back, histograms:,
      sums: {starved_ns: ms.fetch(:starved, 0) * count * MS})
  end

  def section(*transactions, language: "en", **options)
    summary = Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s,
      transactions:, **options)
    words = Holdup::View::Words.new(language)
    Holdup::Report::Sections::TransactionTable.new(summary, words:, limit: 10).call
  end

  def opened(**options)
    window(:transaction, "sql primary", wall: 120, running: 20, stalled: 71, idle: 29, starved: 5, **options)
  end

  def test_nothing_without_transactions
    assert_nil section
    assert_nil section(opened, by: :queue)
  end

  def test_a_row_has_means_of_a_transaction
    calls = [window(:transaction_call, "sql primary", wall: 12, idle: 9),
      window(:transaction_call, "http api.example.com", wall: 20, idle: 18)]
    found = section(opened, *calls)
    assert_equal [ORDERS, "1", "120 ms", "120 ms", "9.00 ms", "18.0 ms", "2.00 ms", "71.0 ms", "5.00 ms",
      "15.0 ms"], found.rows.first
    assert_equal found.columns.size, found.rows.first.size
    assert_includes found.notes,
      "#{ORDERS} calls HTTP api.example.com inside a transaction, which keeps it open 18.0 ms longer."
  end

  def test_the_sentence_in_both_languages
    assert_includes section(opened).notes, "The transactions of #{ORDERS} are open 120 ms; 0 of it waits " \
      "for the database, 71.0 ms for the GVL."
    assert_match(/; 3 were rolled back\.\z/, section(opened(rolled_back: 3)).notes.first)
    assert_match(/GVL 待ちが 71\.0 ms/, section(opened, language: "ja").notes.first)
  end
end
