# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Read back by a decoder of its own, written after the encoding's specification.
class Holdup::Captures::TraceFormats::ProtobufTest < Minitest::Test
  Protobuf = Holdup::Captures::TraceFormats::Protobuf
  BOUNDARIES = [0, 1, 127, 128, 129, 16_383, 16_384, 2**32 - 1, 2**32, 2**63, 2**64 - 1].freeze

  # @return [Array<(Integer, Integer)>] a number, and its length in bytes
  def read_varint(bytes, from = 0)
    number = 0
    bytes.bytes.drop(from).each_with_index do |byte, index|
      number |= (byte & 127) << (7 * index)
      return [number, index + 1] if byte < 128
    end
    flunk "the last byte says that another one follows: #{bytes.inspect}"
  end

  # @return [Array<Array>] field, wire type and value of each
  def decode(bytes)
    found = []
    at = 0
    while at < bytes.bytesize
      tag, length = read_varint(bytes, at)
      at += length
      value, length = value_at(bytes, at, tag & 7)
      at += length
      found << [tag >> 3, tag & 7, value]
    end
    found
  end

  def value_at(bytes, at, type)
    case type
    when 0 then read_varint(bytes, at)
    when 1 then [bytes.byteslice(at, 8).unpack1("Q<"), 8]
    when 2
      size, length = read_varint(bytes, at)
      [bytes.byteslice(at + length, size), length + size]
    else flunk "wire type #{type}"
    end
  end

  def test_a_number_survives_in_the_fewest_bytes
    random = Random.new(1)
    (BOUNDARIES + Array.new(500) { random.rand(1 << random.rand(1..64)) }).each do |number|
      written = Protobuf.varint(number)
      assert_equal [number, written.bytesize], read_varint(written)
      assert_equal [number.bit_length.ceildiv(7), 1].max, written.bytesize, number
    end
  end

  def test_fields_of_each_kind_survive_one_after_the_other
    message = Protobuf.number(1, 300) + Protobuf.text(2, "件") + Protobuf.fixed(15, 2**64 - 1) +
      Protobuf.bytes(16, "\x00\xFF".b) + Protobuf.number(2047, 0)
    expected = [[1, 0, 300], [2, 2, "件".b], [15, 1, 2**64 - 1], [16, 2, "\x00\xFF".b], [2047, 0, 0]]
    assert_equal expected, decode(message)
  end

  def test_the_length_of_a_text_counts_bytes
    ["", "a", "é" * 64, "x" * 127, "x" * 128, "件" * 6000].each do |text|
      assert_equal [[3, 2, text.b]], decode(Protobuf.text(3, text)), text.size
    end
  end

  def test_messages_nest
    inner = Protobuf.number(1, 7) + Protobuf.text(2, "deep")
    outer = decode(Protobuf.bytes(9, Protobuf.bytes(4, inner)))
    middle = decode(outer.first.last)
    assert_equal [[1, 0, 7], [2, 2, "deep".b]], decode(middle.first.last)
  end
end
