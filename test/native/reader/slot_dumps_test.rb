# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Ruby is the oracle of the extension: RingSlice#each_arrival.
class SlotDumpsTest < Minitest::Test
  NS = 1_000_000_000
  NOW_NS = 3_000_000 * 600 * NS
  BYTES = Holdup::Segment::Layout::RING_ENTRY_BYTES
  # Of the slots; 255 stands for none.
  POOLS = [0, 1, 255, 0, 3].freeze

  def entries
    random = Random.new(9)
    Array.new(500) do
      start_ns = NOW_NS - random.rand(70 * NS)
      queued_ns = (random.rand < 0.3) ? Holdup::Segment::Layout::UNKNOWN : random.rand(5 * NS)
      [start_ns, random.rand(6), *[0] * 8, queued_ns].pack("Q<11").ljust(BYTES, "\0".b)
    end
  end

  def arrivals(slice, from_ns, to_ns)
    Holdup::SlotDumps.arrivals(slice.bytes, POOLS.pack("C*"), from_ns, to_ns).unpack("Q*").tally
  end

  def test_counts_arrivals_as_ruby_does
    slice = Holdup::Segment::RingSlice.new(first: 0, bytes: entries.join)
    expected = Hash.new(0)
    slice.each_arrival do |at_ns, slot, stamped|
      pool = POOLS[slot]
      next if pool.nil? || pool == 255
      expected[at_ns / (NS / 10) * 512 + pool * 2 + (stamped ? 1 : 0)] += 1
    end
    assert_equal expected, arrivals(slice, NOW_NS - 80 * NS, NOW_NS)
    assert_empty arrivals(slice, 0, 9)
  end
end
