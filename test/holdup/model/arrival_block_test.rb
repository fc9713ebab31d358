# frozen_string_literal: true

require "test_helper"
require "holdup/model/arrival_block"

class Holdup::ArrivalBlockTest < Minitest::Test
  include ExampleUnits

  Counts = Holdup::ArrivalCounts
  UnitPool = Holdup::ArrivalBlock::UnitPool
  REQUESTS = UnitPool.new(kind: :request, pool: nil)
  JOBS = UnitPool.new(kind: :job, pool: "default")

  def test_merges_pools_and_adds_their_seconds
    one = block(REQUESTS => counts({0 => 2}, stamped: 2), JOBS => counts({5 => 1}))
    merged = one.merge(block(REQUESTS => counts({0 => 1, 59 => 4}, squares: 17, missed: 3)))

    assert_equal [3, 4], merged.counts.fetch(REQUESTS).seconds.values_at(0, 59)
    assert_equal [21, 2, 3], merged.counts.fetch(REQUESTS).to_h.values_at(:squares, :stamped, :missed)
    assert_equal 1, merged.counts.fetch(JOBS).total
  end

  def test_knows_how_many_pairs_of_a_second_came_in_the_same_tenth
    six_together = counts({7 => 6}, squares: 36)
    assert_equal [15, 15], [six_together.pairs, six_together.close_pairs]
    six_apart = counts({7 => 6}, squares: 6)
    assert_equal [15, 0], [six_apart.pairs, six_apart.close_pairs]
  end

  def test_only_requests_and_jobs_come
    series = Holdup::Series.new(kind: :job, name: "A", queue: "low", pool: "slow")
    assert_equal UnitPool.new(kind: :job, pool: "slow"), UnitPool.of(series)
    assert_nil UnitPool.of(Holdup::Series.new(kind: :account, name: "main"))
    assert_nil UnitPool.of(nil)
  end

  private

  def block(counts)
    Holdup::ArrivalBlock.new(setting: SETTING, host: "a", start_s: START_S, counts:)
  end

  def counts(by_second, squares: by_second.values.sum { |count| count**2 }, stamped: 0, missed: 0)
    Counts.new(seconds: Array.new(60) { |second| by_second.fetch(second, 0) }, squares:, stamped:, missed:)
  end
end
