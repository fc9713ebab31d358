# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Sizing
  class OpenCalculatorTest < Minitest::Test
    UNIT = ServiceDemand.new(held_ns: 12e6, idle_ns: 30e6, acquisitions: 8)

    def calculator(demand = UNIT, rate: 40.0, threads: [1, 2, 3, 5, 8], **options)
      OpenCalculator.new(demand, rate:, threads:, **options)
    end

    def test_the_fewest_threads_with_about_the_shortest_response
      lines = calculator.lines
      assert_equal [nil, nil],
        lines.first(1).map(&:whole_ns) + [lines.first.queued_ns] # 1 / 42 ms are less than 40 a second
      assert_equal lines.filter_map(&:whole_ns).sort.reverse, lines.filter_map(&:whole_ns)
      best = calculator.best
      assert_operator best.threads, :<, 8
      assert_operator best.whole_ns, :<=, lines.last.whole_ns * 1.05
      assert_in_delta 0.48, best.utilisation, 0.001
    end

    def test_no_number_of_threads_serves_what_is_too_much
      too_much = calculator(rate: 90.0)
      assert_nil too_much.best
      assert_operator too_much.capacity, :<, 1 / 0.012
      assert calculator(rate: 90.0, processes: 2).best
      refute calculator(rate: 90.0, processes: 2, vcpus: 1).best
    end

    def test_units_that_are_too_unlike
      assert_predicate calculator, :valid?
      refute_predicate calculator(UNIT.with(cv2: 2.5)), :valid?
    end
  end
end
