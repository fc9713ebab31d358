# frozen_string_literal: true

require "test_helper"
require "holdup/histogram"

class Holdup::Histogram::CodecTest < Minitest::Test
  Histogram = Holdup::Histogram

  def test_what_is_dumped_comes_back_equal
    (1..60).each do |seed|
      histogram = Histogram.of(RandomValues.new(seed).take(seed * 5))

      assert_equal histogram, Histogram.load(histogram.dump), "seed #{seed}"
    end
    [Histogram.empty, Histogram.of_sum(12_345)].each { |one| assert_equal one, Histogram.load(one.dump) }
  end

  def test_few_values_far_apart_are_written_as_pairs
    assert_equal Histogram::Codec::SPARSE, Histogram.of([2_000, 3_600_000_000_000]).dump.getbyte(0)
  end

  def test_a_full_row_is_written_without_gaps_and_stays_small
    dump = Histogram.of(RandomValues.new(1).take(6_000, :lognormal)).dump

    assert_equal Histogram::Codec::DENSE, dump.getbyte(0)
    assert_operator dump.bytesize, :<, 250
  end

  def test_damaged_bytes_raise_one_clear_sentence
    whole = Histogram.of([2_000, 9_000_000]).dump
    ["", "\x07abc", whole[0..-2], whole + "\x01", "\x01\x01\x01", "\x11\x01\x01\x01\x01\x00\x01\x87\x68\x01".b].each do |bytes|
      error = assert_raises(Holdup::DamagedData) { Histogram.load(bytes.b) }
      assert_match(/histogram can't be read/, error.message)
    end
  end

  def test_random_bytes_never_raise_anything_else
    random = Random.new(5)
    survived = Array.new(2_000) do
      Histogram.load([[1, 0x11].sample(random:)].pack("C") + random.bytes(random.rand(0..40)))
    rescue Holdup::DamagedData
      :refused
    end

    assert_includes survived, :refused
  end
end
