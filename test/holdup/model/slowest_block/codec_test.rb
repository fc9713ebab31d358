# frozen_string_literal: true

require "test_helper"
require "holdup/model/slowest_block/codec"

class Holdup::SlowestBlock::CodecTest < Minitest::Test
  include ExampleUnits

  Codec = Holdup::SlowestBlock::Codec

  def block(*slow_units) = Holdup::SlowestBlock.of(slow_units).first

  def test_loads_what_it_dumped
    units = [slow_unit(1, trace: "0af7651916cd43dd8448eb211c80319c", parts: [[:pair, "日本語#a", 3 * MS]]),
      slow_unit(2, queued_ns: nil, lock_ns: MS, sleep_ns: 2 * MS, native_ns: 3 * MS, pool_wait_ns: MS,
        id: "日本-1")]
    written = block(*units)
    bytes = Codec.dump(written)
    assert_equal written, Codec.load(bytes, written.with(slow_units: []))
    assert_equal Encoding::BINARY, bytes.encoding
  end

  # Version 1 had none at first, and an earlier Holdup takes what comes first in a row.
  def test_reads_blocks_from_before_there_were_ids
    written = block(slow_unit(1, id: "7f3c"))
    rows = JSON.parse(Zlib.inflate(Codec.dump(written).byteslice(1..)))
    assert_equal "7f3c", rows.first.last
    before = "\x01".b << Zlib.deflate(JSON.generate(rows.map { |row| row[..-2] }))
    assert_nil Codec.load(before, written).slow_units.first.id
  end

  # The collector repeats a commit after a failure that it could not tell from a success.
  def test_a_unit_that_comes_twice_is_there_once_though_times_are_rounded
    odd = slow_unit(1)
    odd = odd.with(unit: odd.unit.with(start_ns: odd.unit.start_ns + 333, stalled_ns: 3 * MS + 777))
    twice = Codec.merge(Codec.dump(Codec.merge(nil, block(odd))), block(odd))
    assert_equal 1, twice.slow_units.size
  end

  def test_leaves_out_what_explains_nothing
    slow = slow_unit(0, parts: [[:call, "sql", 400_000], [:call, "redis", 200_000]])
    assert_equal ["sql"], Codec.merge(nil, block(slow)).slow_units.first.parts.map(&:name)
  end

  # 48 hours of ten a minute of 20 series have to fit beside the windows.
  def test_a_unit_takes_little_room
    random = Random.new(1)
    units = Array.new(10) do |index|
      parts = [[:call, "sql primary", 9 * MS + index * 3000], [:pair, "Sales#report", 2 * MS + index * 7000]]
      slow_unit(index * 5000 + 0.737 * index, idle_ns: 20 * MS + index * 777_000,
        id: random.uuid, trace: random.hex(16), parts:)
    end
    assert_operator Codec.dump(block(*units)).bytesize, :<=, 10 * 120
  end

  def test_damaged_bytes_raise
    bytes = Codec.dump(block(slow_unit))
    ["\x01garbage".b, "\x09#{"x" * 9}".b, bytes[0..-8], "\x01".b + Zlib.deflate("[[1]]")].each do |damaged|
      assert_raises(Holdup::DamagedData, damaged.inspect) { Codec.load(damaged, block(slow_unit)) }
    end
  end
end
