# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class WeightedSampleTest < Minitest::Test
    # Each value as often as its weight says, so that plain statistics apply.
    def repeated(values)
      values.flat_map { |value, weight| [value] * weight }.sort
    end

    def random_values(seed)
      random = Random.new(seed)
      Array.new(random.rand(1..30)) { [random.rand(1000), random.rand(1..9)] }
    end

    def test_a_quantile_equals_that_of_the_repeated_values
      20.times do |seed|
        values = random_values(seed)
        all = repeated(values)
        [1, 25, 50, 90, 99, 100].each do |percent|
          rank = (all.size * percent).ceildiv(100)
          found = WeightedSample.quantile(values, percent.quo(100))
          assert_equal all[rank - 1], found, "seed #{seed}, #{percent} %"
        end
      end
    end

    def test_a_quantile_never_falls_with_the_share
      values = random_values(7)
      quantiles = (0..100).map { |percent| WeightedSample.quantile(values, percent.quo(100)) }
      assert_equal quantiles.sort, quantiles
      assert_equal values.map(&:first).max, quantiles.last
    end

    def test_without_units_there_is_no_quantile
      assert_nil WeightedSample.quantile([], 0.5)
    end

    def test_the_order_of_the_units_does_not_matter
      values = random_values(3)
      assert_equal WeightedSample.quantile(values, 0.5), WeightedSample.quantile(values.reverse, 0.5)
    end

    def test_a_mean_equals_that_of_the_repeated_values
      20.times do |seed|
        values = random_values(seed)
        all = repeated(values)
        mean = WeightedSample.mean(values.map { |value, weight| [value, weight.to_f] })
        assert_in_delta all.sum.fdiv(all.size), mean, 1e-6, "seed #{seed}"
      end
    end

    def test_draws_each_member_as_often_as_its_weight_says
      sample = WeightedSample.new([[:rare, 1.0], [:common, 7.0], [:never, 0.0], [:some, 2.0]])
      random = Random.new(1)
      drawn = Array.new(20_000) { sample.draw(random) }.tally
      assert_in_delta 0.1, drawn[:rare] / 20_000.0, 0.01
      assert_in_delta 0.7, drawn[:common] / 20_000.0, 0.01
      assert_in_delta 0.2, drawn[:some] / 20_000.0, 0.01
      refute_includes drawn, :never
    end

    def test_spreads_each_member_as_exactly_as_whole_numbers_allow
      sample = WeightedSample.new([[:rare, 1.0], [:common, 7.0], [:never, 0.0], [:some, 2.0]])
      5.times do |seed|
        spread = sample.spread(105, Random.new(seed))
        assert_equal 105, spread.size
        {rare: 10.5, common: 73.5, some: 21.0}.each do |member, expected|
          assert_in_delta expected, spread.count(member), 1, "seed #{seed}"
        end
      end
    end

    # Also of weights that differ by many orders of magnitude, and are nothing for some.
    def test_draws_the_first_member_whose_bound_is_beyond_the_number
      20.times do |seed|
        random = Random.new(seed)
        weights = Array.new(random.rand(1..50)) { random.rand(4).zero? ? 0.0 : 10.0**random.rand(-6..6) }
        weights << 1.0
        sample = WeightedSample.new(weights.each_with_index.map { |weight, index| [index, weight] })
        bounds = weights.each_with_object([]) { |weight, sums| sums << sums.last.to_f + weight }
        Array.new(200) { random.rand }.each do |number|
          expected = bounds.index { |bound| bound > number * bounds.last }
          assert_equal expected, sample.draw(Struct.new(:rand).new(number)), "seed #{seed}, #{number}"
        end
      end
    end

    def test_draws_the_last_member_where_none_has_a_weight
      sample = WeightedSample.new([[:first, 0.0], [:last, 0.0]])
      assert_equal :last, sample.draw(Random.new(1))
      assert_equal %i[last last], sample.spread(2, Random.new(1))
    end

    # The ends of a random number's range: 0, and the largest below 1.
    def test_draws_the_first_and_the_last_member_at_the_ends
      sample = WeightedSample.new([[:first, 0.5], [:last, 0.5]])
      at = ->(number) { Struct.new(:rand).new(number) }
      assert_equal :first, sample.draw(at.call(0.0))
      assert_equal :last, sample.draw(at.call(0.5))
      assert_equal :last, sample.draw(at.call(1.0.prev_float))
    end
  end
end
