# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class RepeatedQueriesTest < Minitest::Test
    include Situations

    ORDERS = "OrdersController#index"
    PLACE = "app/models/order.rb:7 Order#total_cents"

    # Each request makes the query `times` times, 2 ms each.
    def situation_with(times)
      sample = SampleWindows.new
      units = sample.to_a.select { |window| window.series.name == ORDERS }.sum(&:count)
      count = (times * units).round
      histograms = {wall: 2000, idle: 500, stalled: 1000, running: 500}
        .transform_values { |us| Holdup::Histogram.of_sum(us * 1000 * count) }
      query = sample.window(ORDERS, kind: :repeat, queue: PLACE, count:, histograms:)
      summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
        repeats: [query])
      Situation.new(summary:)
    end

    def test_names_the_line_and_what_the_queries_take
      text = text_of(found = DatabaseRules::RepeatedQueries.call(situation_with(20)))
      assert_match(/\AOrdersController#index makes the same query 20.* times .* \(N\+1\): /, text["what"])
      assert_includes text["what"], PLACE
      times = /database 10\.. ms and for the GVL 20\.. ms, and runs Active Record for 10\.. ms/
      assert_match(times, text["seen"])
      assert_equal :code, found.remedy
    end

    def test_nothing_where_they_take_little
      assert_nil DatabaseRules::RepeatedQueries.call(situation_with(0.01))
    end

    def test_nothing_without_such_queries
      assert_nil find(DatabaseRules::RepeatedQueries)
    end
  end
end
