# frozen_string_literal: true

require "test_helper"
require "holdup/model/slowest_block"

class Holdup::SlowestBlockTest < Minitest::Test
  include ExampleUnits

  def slow(count, seed: 1)
    random = Random.new(seed)
    Array.new(count) { |index| slow_unit(index, idle_ns: random.rand(1000) * MS) }
  end

  def test_keeps_the_same_units_in_any_order
    all = slow(200)
    found = [1, 2].map do |seed|
      parts = all.shuffle(random: Random.new(seed)).each_slice(13)
      parts.map { |some| Holdup::SlowestBlock.of(some).first }.reduce(:merge)
    end
    assert_equal found.first, found.last
    assert_equal all.map(&:wall_ns).max(10), found.first.slow_units.map(&:wall_ns)
    assert_equal all.map(&:wall_ns).max, found.first.slowest_ns
  end

  def test_has_a_unit_once_that_comes_twice
    block = Holdup::SlowestBlock.of(slow(5)).first
    assert_equal block, block.merge(block)
  end

  # One that waited over a minute belongs to the minute in which it ended.
  def test_a_block_is_of_the_minute_in_which_units_ended
    long = slow_unit(59_000, idle_ns: 2_000 * MS)
    others = [slow_unit(0), slow_unit(1, name: "C#d"), slow_unit(2, host: "b")]
    blocks = Holdup::SlowestBlock.of([long, *others])
    assert_equal [START_S, START_S, START_S, START_S + 60], blocks.map(&:start_s).sort
    assert_equal [long], blocks.find { |block| block.start_s > START_S }.slow_units
  end

  def test_parts_of_a_kind
    slow = slow_unit(0, parts: [[:call, "sql", 5], [:pair, "A", 4], [:pair, nil, 3]])
    assert_equal ["A", nil], slow.parts_of(:pair).map(&:name)
  end
end
