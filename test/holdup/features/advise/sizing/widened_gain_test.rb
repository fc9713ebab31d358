# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class WidenedGainTest < Minitest::Test
    SPREAD = Holdup::Analysis::BootSpread::SpreadEstimate.new(deviation: 0.1, freedom: 18, found: 0.1,
      processes: 2)

    def widened(slower:, faster:)
      WidenedGain.of(SPREAD, 0.1..0.5, gain: 0.4, slower:, faster:)
    end

    def test_independent_causes_add_up_like_standard_deviations
      found = widened(slower: 0.0, faster: 0.4).interval
      assert_in_delta(-0.1, found.begin, 1e-9)
      assert_in_delta 0.5, found.end, 1e-9
      same = widened(slower: 0.4, faster: 0.4).interval
      assert_in_delta 0.1, same.begin, 1e-9
      assert_in_delta 0.5, same.end, 1e-9
    end

    def test_replays_with_slower_and_faster_processes_say_what_it_does
      share = SPREAD.share(2, 2)
      found = WidenedGain.by_replays(SPREAD, 0.4, 0.35..0.45, before: 2, after: 2) do |factor|
        0.3 - Math.log(factor)
      end
      assert_in_delta 0.4 - Math.hypot(0.05, share), found.interval.begin, 1e-9
      assert_in_delta 0.4 + Math.hypot(0.05, share), found.interval.end, 1e-9
    end

    def test_whether_the_draw_alone_makes_a_gain_uncertain
      assert_predicate widened(slower: 0.0, faster: 0.4), :decides?
      refute_predicate widened(slower: 0.4, faster: 0.4), :decides?
      refute_predicate widened(slower: 0.4, faster: 0.4).with(alone: -0.1..0.5), :decides?
      loss = widened(slower: 0.0, faster: 0.4).with(alone: -0.5..-0.1)
      assert_predicate loss.with(interval: -0.7..0.1), :decides?
      refute_predicate loss.with(interval: -0.7..-0.05), :decides?
    end
  end
end
