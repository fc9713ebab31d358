# frozen_string_literal: true

require "test_helper"
require "holdup/model/sample_block"

class Holdup::UnitSample
  class SampleBlockTest < Minitest::Test
    include ExampleUnits

    def test_draws_the_same_units_in_any_order
      all = many(5000)
      drawn = [1, 2].map do |seed|
        all.shuffle(random: Random.new(seed)).each_slice(700).map { |some| block(some) }.reduce(:merge)
      end
      assert_equal [5000, Holdup::SampleBlock::MOST], [drawn.first.seen, drawn.first.unit_samples.size]
      assert_equal drawn.first.unit_samples.to_set, drawn.last.unit_samples.to_set
      first, *others = all.each_slice(700).map { |some| block(some) }
      assert_equal drawn.first.unit_samples.to_set, first.merge(*others).unit_samples.to_set
    end

    def test_counts_a_repeated_unit_once
      some = many(20)
      assert_equal 20, block(some).merge(block(some.first(5))).unit_samples.size
    end

    # 90 of a thousand starts in each tenth of the time, give or take four standard deviations.
    def test_each_part_of_the_time_is_as_likely
      drawn = block([]).merge(block(many(10_000))).unit_samples.group_by do |unit_sample|
        (unit_sample.start_ns / 1_000_000_000 - ExampleUnits::START_S) / 60
      end
      assert_equal 10, drawn.size
      drawn.each_value { |part| assert_in_delta 90, part.size, 4 * Math.sqrt(90) }
    end

    def test_a_weight_is_the_number_of_units_that_a_unit_sample_represents
      weighted = block(many(30).shuffle(random: Random.new(1)), seen: 300).weighted
      assert_equal [10.0], weighted.map(&:weight).uniq
      assert_equal weighted.map(&:start_ns).sort, weighted.map(&:start_ns)
      assert_empty block([], seen: 3).weighted
    end

    def test_draw_priorities_are_equally_likely_and_depend_on_the_seed
      priority = Holdup::SampleBlock::DrawPriority
      start_ns = ExampleUnits::START_S * 1_000_000_000
      [1_000, 1_000_000, 600_000_000].each do |step_ns|
        numbers = Array.new(20_000) { |index| priority.of(start_ns + index * step_ns) }
        counts = numbers.group_by { |number| number >> 28 }.transform_values(&:size)
        assert_operator counts.values.sum { |count| (count - 1250)**2 / 1250.0 }, :<, 45,
          "chi squared of 15, every #{step_ns} ns"
        assert numbers.all?(0..priority::HIGHEST)
      end
      refute_equal priority.of(start_ns), priority.of(start_ns, 1)
    end
  end
end
