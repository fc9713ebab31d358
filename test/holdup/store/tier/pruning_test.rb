# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::PruningTest < Minitest::Test
  include SampleMinutes

  def setup
    @rows = window_rows
    @rows.merge(Array.new(300) { |i| minute(i) })
    Holdup::Store::Tier::Rollup.new(@rows).run(SampleMinutes::MINUTE_START + 300 * 60)
  end

  def test_the_cut_is_on_a_boundary_of_the_coarser_tier
    prune(SampleMinutes::MINUTE_START + 48 * 3600 + 440)

    assert_equal SampleMinutes::MINUTE_START + 300, @rows.tiers.first.kept_from_s
    assert_equal 295, all_windows(@rows, 60).size
  end

  def test_a_size_that_can_not_be_reached_ends
    prune(SampleMinutes::MINUTE_START, max_bytes: 0)

    assert_operator @rows.bytes, :>, 0
    assert_equal 4, all_windows(@rows, 3600).size
  end

  # A limit for which even the longest windows are too many.
  def test_a_store_at_its_limit_takes_what_comes_next
    @rows.merge([minute(3 * 1440)])
    Holdup::Store::Tier::Rollup.new(@rows).run(SampleMinutes::MINUTE_START + 3 * 86_400)
    prune(SampleMinutes::MINUTE_START, max_bytes: 0)

    assert_empty(@rows.tiers.select { |tier| tier.rolled? && tier.kept_from_s > tier.rolled_to_s })
  end

  # By age: a store without an index by time reads what may go, and not all that it keeps.
  def test_looks_for_old_rows_among_those_that_may_go
    asked = []
    @rows.define_singleton_method(:first_start) do |*range|
      asked << range
      super(*range)
    end
    now_s = SampleMinutes::MINUTE_START + 48 * 3600 + 440
    prune(now_s)

    ends = Holdup::Store::Tier::KEEP_S.map { |seconds, keep_s| [seconds, 0, now_s - keep_s] }
    assert_equal ends, asked
  end

  private

  def prune(now_s, max_bytes: 1 << 30)
    Holdup::Store::Tier::Pruning.new(@rows).run(now_s, max_bytes:)
  end
end
