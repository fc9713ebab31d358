# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class OpenTransactionsTest < Minitest::Test
    include Situations

    CHECKOUTS = "CheckoutsController#create"

    # Each of 100 requests has a transaction with so many ms in each part.
    def situation_with(count: 100, ruby: 10, stalled: 0, database: 10, http: 0)
      of = ->(ms) { Holdup::Histogram.of([ms * MS] * count) }
      sample = SampleWindows.new(units: unit(CHECKOUTS, cpu: 50, stalled: 100, io: 50))
      wall = ruby + stalled + database + http
      windows = [
        sample.window(CHECKOUTS, kind: :transaction, queue: "sql primary", count:,
          histograms: {wall: of[wall], running: of[ruby], stalled: of[stalled], idle: of[database + http]}),
        *call(sample, "sql primary", of[database]), *call(sample, "http api.example.com", of[http])
      ]
      summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
        transactions: windows)
      Situation.new(summary:)
    end

    def call(sample, queue, idle)
      return [] if idle.sum.zero?
      [sample.window(CHECKOUTS, kind: :transaction_call, queue:, count: idle.count,
        histograms: {wall: idle, idle:})]
    end

    def found(**options) = DatabaseRules::OpenTransactions.call(situation_with(**options))

    def test_transactions_that_wait_for_the_gvl
      text = text_of(finding = found(ruby: 19, stalled: 71, database: 30))
      assert_equal :open_transactions_stalled, finding.rule
      assert_match(/open 120 ms on average, and 71\.0 ms of it the thread waits for the GVL/, text["seen"])
      assert_operator finding.weight, :>, 0.05
    end

    def test_calls_to_other_systems_inside_a_transaction
      text = text_of(finding = found(http: 45))
      assert_equal [:open_transactions_calls, :code], [finding.rule, finding.remedy]
      assert_includes text["what"], "calls another system (HTTP api.example.com) while a transaction is open"
      assert_includes text["seen"], "65.0 ms on average, and 45.0 ms of it waits for the answers of other"
    end

    def test_the_larger_of_both
      assert_equal :open_transactions_calls, found(stalled: 40, http: 50).rule
      assert_equal :open_transactions_stalled, found(stalled: 60, http: 50).rule
    end

    def test_nothing_where_they_are_short_or_few_or_busy_with_the_database
      assert_nil found(ruby: 1, stalled: 5, database: 1)
      assert_nil found(count: 19, stalled: 70)
      assert_nil found(stalled: 5, database: 60, http: 5)
      assert_nil find(DatabaseRules::OpenTransactions)
    end
  end
end
