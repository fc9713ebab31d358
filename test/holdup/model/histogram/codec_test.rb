# frozen_string_literal: true

require "test_helper"
require "holdup/model/histogram"
require "holdup/agent/probe"

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
    ["", "\x07abc", whole[0..-2], whole + "\x01", "\x01\x01\x01",
      "\x11\x01\x01\x01\x01\x00\x01\x87\x68\x01".b].each do |bytes|
      error = assert_raises(Holdup::DamagedData) { Histogram.load(bytes.b) }
      assert_match(/histogram can't be read/, error.message)
    end
  end

  def test_histograms_one_behind_the_other_are_their_sum
    random = Random.new(7)
    40.times do |seed|
      all = Array.new(random.rand(1..6)) { |index| random_histogram(seed * 10 + index, random) }
      all << Histogram.of_sum(5)
      bytes = all.shuffle(random:).map(&:dump).join
      assert_equal Histogram.sum(all), Histogram.load_sum(bytes), "seed #{seed}"
      head = Histogram::CountAndSum.of(Histogram.sum(all))
      assert_equal head, Histogram::Codec.load_head_sum(bytes), "seed #{seed}"
    end
    assert_equal Histogram.empty, Histogram.load_sum("".b)
    assert_raises(Holdup::DamagedData) { Histogram.load(Histogram.of([5]).dump * 2) }
  end

  def test_numbers_beyond_a_machine_word_add_up
    small = Histogram.of([5_000, 9_000])
    counts = small.counts.map { |count| count * ((1 << 62) - 1) }
    one = small.with(count: 1 << 64, sum: 1 << 70, counts:)
    assert_equal one.counts.map { |count| count * 3 }, Histogram.sum([one] * 3).counts
    assert_equal Histogram.sum([one] * 3), Histogram.load_sum(one.dump * 3)
    assert_equal 3 << 70, Histogram::Codec.load_head_sum(one.dump * 3).sum
  end

  def test_merges_a_dump_with_a_histogram
    random = Random.new(3)
    20.times do |seed|
      one, other = Array.new(2) { |index| random_histogram(seed * 2 + index, random) }
      assert_equal one.merge(other).dump, Histogram::Codec.merge(one.dump, other), "seed #{seed}"
    end
  end

  def test_merges_only_with_one_whole_dump
    one = Histogram.of([2_000, 9_000_000])
    ["", one.dump.chop, one.dump * 2].each do |bytes|
      assert_raises(Holdup::DamagedData, bytes.inspect) { Histogram::Codec.merge(bytes, one) }
    end
  end

  # In a Ruby without the extension, which is also what the one in C is measured by.
  WITHOUT_EXTENSION = <<~RUBY
    require "holdup/model/histogram"
    abort "the extension is there" if defined?(Holdup::HistogramDumps)
    ARGF.each_line(chomp: true) do |hex|
      loaded = Holdup::Histogram.load_sum([hex].pack("H*"))
      puts loaded.to_h.to_s + loaded.dump.unpack1("H*")
    rescue Holdup::DamagedData
      puts "damaged"
    end
  RUBY

  def loaded_or_damaged(bytes)
    loaded = Histogram.load_sum(bytes)
    loaded.to_h.to_s + loaded.dump.unpack1("H*")
  rescue Holdup::DamagedData
    "damaged"
  end

  def test_ruby_and_c_read_and_write_the_same
    random = Random.new(11)
    good = Array.new(30) do |seed|
      Array.new(1 + seed % 4) { |index| random_histogram(seed * 10 + index, random).dump }.join
    end
    cut = good.map { |bytes| bytes.byteslice(0, random.rand(1...bytes.bytesize)) }
    invented = Array.new(300) do
      numbers = Array.new(random.rand(4..20)) { random.rand(0..9) }
      [[1, 0x11].sample(random:)].pack("C") + numbers.pack("w*")
    end
    too_large = [1, 1, 1 << 70, 3, 4, 0, 0, 0].pack("w*")
    all = [*good, *cut, *invented, too_large]
    lib = File.expand_path("../../../../lib", __dir__)
    output, = Open3.capture2(RbConfig.ruby, "-I#{lib}", "-e", WITHOUT_EXTENSION,
      stdin_data: all.map { |bytes| bytes.unpack1("H*") }.join("\n"))

    here = all.map { |bytes| loaded_or_damaged(bytes) }
    assert_equal here, output.lines(chomp: true)
    assert_includes here, "damaged"
    assert defined?(Holdup::HistogramDumps), "the extension is not there"
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

  private

  def random_histogram(seed, random)
    Histogram.of(RandomValues.new(seed).take(random.rand(0..80)))
  end
end
