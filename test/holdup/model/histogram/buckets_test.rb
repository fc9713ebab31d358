# frozen_string_literal: true

require "test_helper"
require "holdup/model/histogram"

class Holdup::Histogram::BucketsTest < Minitest::Test
  Buckets = Holdup::Histogram::Buckets

  # 2^(i/16) < v <=> 2^i < v^16: integers only, so this is the definition itself and not a second
  # approximation.
  def test_every_bucket_starts_and_ends_exactly_where_the_definition_says
    (0...Buckets::SLOTS).each do |slot|
      index = Buckets::MIN_INDEX + slot
      first = Buckets.first(slot)
      last = Buckets.last(slot)

      assert_operator first**16, :>, 1 << index
      assert_operator (first - 1)**16, :<=, 1 << index
      assert_operator last**16, :<=, 1 << (index + 1)
      assert_operator (last + 1)**16, :>, 1 << (index + 1)
    end
  end

  def test_values_on_both_sides_of_every_boundary_fall_where_they_belong
    (0...Buckets::SLOTS).each do |slot|
      assert_equal [slot, slot], [Buckets.slot(Buckets.first(slot)), Buckets.slot(Buckets.last(slot))]
      assert_equal Buckets::MIN_INDEX + slot, Buckets.index(Buckets.first(slot))
      assert_equal slot + 1, Buckets.slot(Buckets.last(slot) + 1) if slot < Buckets::SLOTS - 1
    end
  end

  def test_the_range_is_from_two_to_the_tenth_to_two_to_the_forty_second
    assert_equal [1025, 1 << 42], [Buckets.first(0), Buckets.last(Buckets::SLOTS - 1)]
    assert_equal 511, Buckets.slot(1 << 60)
  end
end
