# frozen_string_literal: true

require "test_helper"
require "holdup/stores/memory"

class Holdup::Stores::PruneTest < Minitest::Test
  include SampleMinutes

  def setup
    @rows = Holdup::Stores::Memory::Rows.new
    @rows.merge(Array.new(300) { |i| minute(i) })
    Holdup::Stores::Rollup.new(@rows).run(MINUTE_START + 300 * 60)
  end

  def test_the_cut_is_on_a_boundary_of_the_coarser_tier
    prune(MINUTE_START + 48 * 3600 + 440)

    assert_equal MINUTE_START + 300, @rows.tiers.first.kept_from_s
    assert_equal 295, @rows.between(60, 0, MINUTE_START * 2).size
  end

  def test_a_size_that_can_not_be_reached_ends
    prune(MINUTE_START, max_bytes: 0)

    assert_operator @rows.bytes, :>, 0
    assert_equal 4, @rows.between(3600, 0, MINUTE_START * 2).size
  end

  private

  def prune(now_s, max_bytes: 1 << 30) = Holdup::Stores::Prune.new(@rows).run(now_s, max_bytes:)
end
