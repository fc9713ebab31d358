# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::JitReport::MemoryGrowthTest < Minitest::Test
  include JitSamples

  def growth(**)
    jits(life(0, **), life(1, **)).servers.first.growth
  end

  def test_as_far_as_it_was_seen
    steady = growth(minutes: 60)
    assert_equal [250 * JitSamples::MIB, 0.0, 3600], [steady.at(1800), steady.slope, steady.seen_s]
    assert_equal (250 * JitSamples::MIB * 1.1).ceil, steady.limit_bytes
  end

  def test_beyond_that_the_older_half_is_drawn_on
    growing = growth(minutes: 30, rss_bytes: ->(age_s) { 200 * JitSamples::MIB + age_s * 1000 })
    assert_in_delta 1000, growing.slope, 1e-6
    assert_in_delta 200 * JitSamples::MIB + 1800 * 1000 + 1800 * 1000, growing.at(3600), 200_000
  end

  def test_how_long_a_worker_should_live
    assert_equal [1800, 20_000], [growth.wanted_s, growth(units: ->(age_s) { age_s / 10 }).wanted_s]
  end

  def test_nothing_known
    unknown = growth(rss_bytes: nil)
    refute_predicate unknown, :known?
    assert_nil unknown.limit_bytes
    assert_equal 0.0, unknown.slope
  end
end
