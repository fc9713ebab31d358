# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class CalculatorTest < Minitest::Test
    def calculator(share, **options)
      Calculator.new(ServiceDemand.of_share(share), **options)
    end

    def test_where_the_articles_say_four_three_are_enough
      assert_equal [3, 4], [calculator(0.45).recommended, calculator(0.45).amdahls]
    end

    def test_one_thread_is_enough_without_io
      assert_equal 1, calculator(0.0).recommended
      assert_equal [1], calculator(0.0, threads: [1]).lines.map(&:threads)
    end

    def test_the_rows_reach_beyond_both_answers
      [0.1, 0.45, 0.8, 0.95, 0.99].each do |share|
        calculator = calculator(share)
        threads = calculator.lines.map(&:threads)
        assert_equal threads.uniq.sort, threads
        assert_operator threads.last, :>=, [calculator.recommended, calculator.amdahls].max
        assert_includes threads, calculator.recommended
      end
    end

    def test_a_line_compares_with_one_thread
      one, three = calculator(0.45, threads: [1, 3]).lines
      assert_equal [1.0, 0.0, 1.0, 0.0], [one.speed_up, one.gain, one.amdahl, one.amdahl_gain]
      assert_in_delta 1.74, three.speed_up, 0.01
      assert_in_delta 1.43, three.amdahl, 0.01
      assert_operator three.speed_up, :<=, three.bound
    end
  end
end
