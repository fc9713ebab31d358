# frozen_string_literal: true

require "test_helper"
require "holdup/model/sample_block/codec"

class Holdup::UnitSample
  class CodecTest < Minitest::Test
    include SampleProfiles

    def test_there_and_back
      all = [profile(1, queued_ns: nil),
        profile(2.5, kind: :job, name: "ReportJob", queue: "low", queued_ns: 0, stalled_ns: 10**15), *many(50)].sort_by(&:start_ns)
      assert_equal [], all - copy(block(all, seen: 90)).profiles
      assert_equal all.map(&:start_ns), copy(block(all)).profiles.map(&:start_ns)
      assert_equal 90, copy(block(all, seen: 90)).seen
    end

    def test_how_units_began
      began = [[nil, nil], [0, 3000], [4, 0]]
      all = began.each_with_index.map { |(concurrency, rest_ns), index| profile(index, concurrency:, rest_ns:) }
      assert_equal began, copy(block(all)).profiles.map { |one| [one.concurrency, one.rest_ns] }
    end

    def test_names_in_any_script
      names = ["日本語", "カレー 🍛", "é" * 100, "\u0000"]
      all = names.each_with_index.map { |name, index|
        profile(index, name:, kind: :job, queue: "待ち", trace: "f" * 32)
      }
      assert_equal names, copy(block(all)).profiles.map { |one| one.series.name }
      stored = Holdup::SampleBlock::Codec.merge(Holdup::SampleBlock::Codec.dump(block(all.first(2))),
        block(all.last(2)))
      assert_equal names, Holdup::SampleBlock::Codec.load(stored, block([])).profiles.sort_by(&:start_ns).map { |one| one.series.name }
      assert_equal Encoding::BINARY, stored.encoding
    end

    def test_traces
      traces = ["0af7651916cd43dd8448eb211c80319c", nil, "f" * 32]
      all = traces.each_with_index.map { |trace, index| profile(index, trace:) }
      stored = Holdup::SampleBlock::Codec.merge(Holdup::SampleBlock::Codec.dump(block(all.first(2).reverse)),
        block(all.last(1)))
      assert_equal traces, Holdup::SampleBlock::Codec.load(stored, block([])).profiles.map(&:trace)
      assert_equal Holdup::SampleBlock::Codec.dump(block([profile(0)])),
        Holdup::SampleBlock::Codec.dump(block([profile(0, trace: nil)]))
    end

    def test_nothing
      assert_empty copy(block([])).profiles
    end

    def test_durations_are_kept_to_the_microsecond
      kept = copy(block([profile(0, running_ns: 1_234_567, cpu_ns: 1_234_567, idle_ns: 499)])).profiles.first
      assert_equal [1_235_000, 1_235_000, 0], [kept.running_ns, kept.cpu_ns, kept.idle_ns]
    end

    # 16 processes and 40 series: what a store of 14 days has 2,016 of for each host and setting.
    def test_a_full_block_is_small
      bytes = Holdup::SampleBlock::Codec.dump(block(many(Holdup::SampleBlock::MOST))).bytesize
      assert_operator bytes, :<, 24 * Holdup::SampleBlock::MOST
    end

    def test_stored_ones_merge_as_blocks_do
      all = many(2000)
      stored = all.each_slice(700).inject(nil) { |bytes, some| Holdup::SampleBlock::Codec.merge(bytes, block(some)) }
      again = Holdup::SampleBlock::Codec.merge(stored, block(all.first(50)))
      drawn = block([]).merge(block(all)).profiles.to_set
      [stored, again].each { |bytes| assert_equal drawn, Holdup::SampleBlock::Codec.load(bytes, block([])).profiles.to_set }
      assert_equal 20,
        Holdup::SampleBlock::Codec.load(
          Holdup::SampleBlock::Codec.merge(Holdup::SampleBlock::Codec.dump(block(all.first(20))),
            block(all.first(7))), block([])
        ).profiles.size
    end

    # Those of a store that is older than the knowledge of how units began.
    def test_older_ones_are_read_and_added_to
      names = JSON.generate([[["request", "A#b", nil]], [[7, 5]]])
      text = [names.bytesize].pack("w") << names << "\x00".b << [9, 0, 0, 4, 1, 3, 2, 5, 2, 0, 0,
        1500].pack("U*").b
      stored = Holdup::SampleBlock::Codec.merge("\x01".b << Zlib.deflate(text),
        block([profile(50, concurrency: 2, rest_ns: 0)]))
      assert_equal [[nil, nil, 4000], [2, 0, 8 * SampleProfiles::MS]], Holdup::SampleBlock::Codec.load(stored, block([])).profiles.map { |one| [one.concurrency, one.rest_ns, one.running_ns] }
    end

    def test_damage_is_told
      good = Holdup::SampleBlock::Codec.dump(block(many(3)))
      ["", "\x03#{good[1..]}", good[0, 20], "\x01".b + Zlib.deflate("\x02[]\x00\x05"),
        "\x01".b + Zlib.deflate("\x05[[]]")].each do |bad|
        assert_raises(Holdup::DamagedData) { Holdup::SampleBlock::Codec.load(bad.b, block([])) }
      end
    end

    private

    def copy(block)
      Holdup::SampleBlock::Codec.load(Holdup::SampleBlock::Codec.dump(block), block.with(profiles: []))
    end
  end
end
