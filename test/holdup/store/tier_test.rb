# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::TierTest < Minitest::Test
  Tier = Holdup::Store::Tier

  def test_a_new_store_has_minutes_five_minutes_hours_and_days_kept_ever_longer
    assert_equal [60, 300, 3600, 86_400], Tier.fresh.map(&:seconds)
    assert_equal [2, 14, 400, 400], Tier.fresh.map { |tier| tier.keep_s / 86_400 }
  end

  def test_each_length_divides_the_next
    Tier.fresh.each_cons(2) { |fine, coarse| assert_equal 0, coarse.seconds % fine.seconds }
  end

  def test_floor_and_ceil_are_starts_of_windows
    tier = Tier.new(seconds: 300, rolled_to_s: 0, kept_from_s: 0)

    assert_equal [300, 600, 300], [tier.floor(599), tier.ceil(301), tier.ceil(300)]
  end

  # Where short windows are missing, readers take longer ones.
  def test_windows_may_be_missing_only_where_longer_ones_are_filled
    tiers = Tier.fresh.map { |tier| tier.with(rolled_to_s: 7200) }
    assert_equal [3600, 0, 0, 0], Tier.kept_from(tiers, {60 => 3600}).map(&:kept_from_s)
    assert_nil Tier.kept_from(tiers, {60 => 10_800})
  end

  def test_a_late_minute_goes_where_the_roll_up_was_made_and_nothing_was_pruned
    minutes = Tier.new(seconds: 60, rolled_to_s: 0, kept_from_s: 600)
    hours = Tier.new(seconds: 3600, rolled_to_s: 7200, kept_from_s: 3600)

    assert_equal [false, true], [540, 600].map { |start_s| minutes.takes?(start_s) }
    assert_equal [false, true, false], [3540, 3600, 7200].map { |start_s| hours.takes?(start_s) }
  end
end
