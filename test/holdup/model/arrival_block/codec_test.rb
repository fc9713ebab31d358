# frozen_string_literal: true

require "test_helper"
require "holdup/model/arrival_block/codec"
require "holdup/model/series"
require "holdup/model/setting"

class Holdup::ArrivalBlock::CodecTest < Minitest::Test
  include ExampleUnits

  Codec = Holdup::ArrivalBlock::Codec
  Counts = Holdup::ArrivalCounts

  def test_loads_what_it_dumped
    written = block({[:request, nil] => counts(Array.new(60) { |second| second % 7 }),
                     [:job, "日本語"] => counts(Array.new(60, 0), missed: 300),
                     [:job, nil] => counts(Array.new(60) { |second| 100 + second }, stamped: 3)})
    bytes = Codec.dump(written)
    assert_equal written, Codec.load(bytes, block({}))
    assert_equal Encoding::BINARY, bytes.encoding
  end

  def test_merges_with_what_is_stored
    one = block({[:request, nil] => counts([1] * 60)})
    assert_equal one, Codec.merge(nil, one)
    assert_equal [2] * 60, Codec.merge(Codec.dump(one), one).counts.values.first.seconds
  end

  # For host, setting, kind and pool.
  def test_a_minute_takes_at_most_100_bytes
    shapes = {quiet: [0] * 59 + [1], steady: Array.new(60) { |second| 900 + second * 7 % 90 },
              bursts: Array.new(60) { |second| (second % 9).zero? ? 70_000 : second },
              largest: [1 << 28] * 30 + [0] * 30}
    shapes.each do |name, seconds|
      most = counts(seconds, squares: 1 << 60, stamped: 1 << 40, missed: 1 << 40)
      size = Codec.pack(most).bytesize
      assert_operator size, :<=, Codec::MOST_BYTES, name
    end
    independent = Array.new(60) { |second| 3 + (second * 7919 % 5) }
    assert_operator Codec.pack(counts(independent)).bytesize, :<=, 40
  end

  def test_rounds_only_large_numbers_and_these_by_a_thousandth
    seconds = Array.new(60) { |second| second * 1_000 + 7 }
    read = Codec.unpack(Codec.pack(counts(seconds))).seconds
    seconds.zip(read) { |one, other| assert_in_delta one, other, 60 }
    small = Array.new(60) { |second| 5_000 + second * 17 }
    assert_equal small, Codec.unpack(Codec.pack(counts(small))).seconds
  end

  def test_says_what_is_wrong_with_damaged_data
    bytes = Codec.dump(block({[:request, nil] => counts(Array.new(60) { |second| second })}))
    [bytes[0, 20], "\x01\x07".b, "\x01\x00\xff".b].each do |damaged|
      error = assert_raises(Holdup::DamagedData) { Codec.load(damaged, block({})) }
      assert_match(/arrivals are damaged/, error.message)
    end
    error = assert_raises(Holdup::DamagedData) { Codec.load("\x09".b, block({})) }
    assert_match(/version 9/, error.message)
  end

  private

  def block(counts)
    counts = counts.transform_keys { |kind, pool| Holdup::ArrivalBlock::UnitPool.new(kind:, pool:) }
    Holdup::ArrivalBlock.new(setting: SETTING, host: "a", start_s: START_S, counts:)
  end

  def counts(seconds, squares: 77, stamped: 0, missed: 0)
    Counts.new(seconds:, squares:, stamped:, missed:)
  end
end
