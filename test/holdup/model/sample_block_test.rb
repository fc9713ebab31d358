# frozen_string_literal: true

require "test_helper"
require "holdup/model/sample_block"

class Holdup::UnitSample
  class SampleBlockTest < Minitest::Test
    include SampleProfiles

    def test_whatever_the_order_the_same_units_are_drawn
      all = many(5000)
      drawn = [1, 2].map { |seed|
        all.shuffle(random: Random.new(seed)).each_slice(700).map { |some| block(some) }.reduce(:merge)
      }
      assert_equal [5000, Holdup::SampleBlock::MOST], [drawn.first.seen, drawn.first.profiles.size]
      assert_equal drawn.first.profiles.to_set, drawn.last.profiles.to_set
    end

    def test_a_unit_that_comes_again_is_still_one
      some = many(20)
      assert_equal 20, block(some).merge(block(some.first(5))).profiles.size
    end

    # 90 of a thousand starts in each tenth of the time, give or take four standard deviations.
    def test_each_part_of_the_time_is_as_likely
      drawn = block([]).merge(block(many(10_000))).profiles.group_by { |profile|
        (profile.start_ns / 1_000_000_000 - SampleProfiles::START_S) / 60
      }
      assert_equal 10, drawn.size
      drawn.each_value { |part| assert_in_delta 90, part.size, 4 * Math.sqrt(90) }
    end

    def test_weights_are_how_many_a_profile_stands_for
      weighted = block(many(30).shuffle(random: Random.new(1)), seen: 300).weighted
      assert_equal [10.0], weighted.map(&:weight).uniq
      assert_equal weighted.map(&:start_ns).sort, weighted.map(&:start_ns)
      assert_empty block([], seen: 3).weighted
    end

    def test_lots_are_as_likely_and_hang_on_the_seed
      [1_000, 1_000_000, 600_000_000].each do |step_ns|
        lots = Array.new(20_000) { |index| Holdup::SampleBlock::DrawPriority.of(SampleProfiles::START_S * 1_000_000_000 + index * step_ns) }
        counts = lots.group_by { |lot| lot >> 28 }.transform_values(&:size)
        assert_operator counts.values.sum { |count| (count - 1250)**2 / 1250.0 }, :<, 45,
          "chi squared of 15, every #{step_ns} ns"
        assert lots.all?(0..Holdup::SampleBlock::DrawPriority::HIGHEST)
      end
      refute_equal Holdup::SampleBlock::DrawPriority.of(SampleProfiles::START_S * 1_000_000_000),
        Holdup::SampleBlock::DrawPriority.of(SampleProfiles::START_S * 1_000_000_000, 1)
    end
  end
end
