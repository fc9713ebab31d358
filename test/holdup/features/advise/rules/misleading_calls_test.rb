# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class MisleadingCallsTest < Minitest::Test
    include Situations

    ORDERS = "OrdersController#index"
    CALLS = 400
    SLOW = {elapsed: 40, remote: 6, stalled: 30}.freeze

    # Of the storefront, where the reports cause most of the stall. Times of one call in ms.
    def situation_with(elapsed:, remote:, stalled:)
      sample = SampleWindows.new
      histograms = {wall: [elapsed * MS] * CALLS, idle: [remote * MS] * CALLS}
        .transform_values { |values| Holdup::Histogram.of(values) }
      histograms[:stalled] = Holdup::Histogram.of_sum(stalled * MS * CALLS)
      histograms[:running] = Holdup::Histogram.of_sum((elapsed - remote - stalled) * MS * CALLS)
      calls = sample.window(ORDERS, kind: :call, queue: "sql primary", count: CALLS, histograms:)
      summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
        calls: [calls], pairs: sample.pairs)
      Situation.new(summary:)
    end

    def test_what_looks_slow_and_is_not
      text = text_of(found = GvlRules::MisleadingCalls.call(situation_with(**SLOW)))
      assert_equal "The calls of #{ORDERS} (SQL primary) look slow, but the other system answers fast.",
        text["what"]
      assert_match(/p95 is 40\.. ms.* 6\.0. ms .* 88\.. % .* most by ReportsController#sales\./, text["seen"])
      assert_equal :code, found.remedy
    end

    def test_what_looks_slow_only_all_together
      many = situation_with(elapsed: 3.4, remote: 1.6, stalled: 1.8)
      text = text_of(GvlRules::MisleadingCalls.call(many))
      assert_match(/\AThey take \d\.\d\d ms of each request or job .* until the answers are there\. 100 % /,
        text["seen"])
    end

    def test_nothing_where_the_other_system_is_slow
      assert_nil GvlRules::MisleadingCalls.call(situation_with(elapsed: 40, remote: 35, stalled: 3))
    end

    def test_nothing_where_the_called_system_works_inside_the_process
      assert_nil GvlRules::MisleadingCalls.call(situation_with(elapsed: 40, remote: 0, stalled: 30))
    end

    def test_nothing_without_calls
      assert_nil find(GvlRules::MisleadingCalls)
    end
  end
end
