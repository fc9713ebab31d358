# frozen_string_literal: true

require "test_helper"
require "holdup/model/sample_block/codec"

class Holdup::SampleBlock
  class CodecTest < Minitest::Test
    include ExampleUnits

    def test_loads_what_it_dumped
      job = unit_sample(2.5, kind: :job, name: "ReportJob", queue: "low", queued_ns: 0, stalled_ns: 10**15)
      all = [unit_sample(1, queued_ns: nil), job, *many(50)].sort_by(&:start_ns)
      assert_empty all - copy(block(all, seen: 90)).unit_samples
      assert_equal all.map(&:start_ns), copy(block(all)).unit_samples.map(&:start_ns)
      assert_equal 90, copy(block(all, seen: 90)).seen
    end

    def test_keeps_how_many_units_were_in_flight_when_one_began
      began = [[nil, nil], [0, 3000], [4, 0]]
      all = began.each_with_index.map do |(concurrency, rest_ns), index|
        unit_sample(index, concurrency:, rest_ns:)
      end
      assert_equal began, copy(block(all)).unit_samples.map { |one| [one.concurrency, one.rest_ns] }
    end

    def test_keeps_names_in_any_script
      names = ["日本語", "カレー 🍛", "é" * 100, "\u0000"]
      all = names.each_with_index.map do |name, index|
        unit_sample(index, name:, kind: :job, queue: "待ち", trace: "f" * 32)
      end
      assert_equal names, copy(block(all)).unit_samples.map { |one| one.series.name }
      stored = Codec.merge(Codec.dump(block(all.first(2))), block(all.last(2)))
      assert_equal names, load(stored).sort_by(&:start_ns).map { |one| one.series.name }
      assert_equal Encoding::BINARY, stored.encoding
    end

    def test_keeps_traces
      traces = ["0af7651916cd43dd8448eb211c80319c", nil, "f" * 32]
      all = traces.each_with_index.map { |trace, index| unit_sample(index, trace:) }
      stored = Codec.merge(Codec.dump(block(all.first(2).reverse)), block(all.last(1)))
      assert_equal traces, load(stored).map(&:trace)
      assert_equal Codec.dump(block([unit_sample(0)])), Codec.dump(block([unit_sample(0, trace: nil)]))
    end

    def test_keeps_an_empty_block
      assert_empty copy(block([])).unit_samples
    end

    def test_durations_are_kept_to_the_microsecond
      one = unit_sample(0, running_ns: 1_234_567, cpu_ns: 1_234_567, idle_ns: 499)
      kept = copy(block([one])).unit_samples.first
      assert_equal [1_235_000, 1_235_000, 0], [kept.running_ns, kept.cpu_ns, kept.idle_ns]
    end

    # 16 processes and 40 series: what a store of 14 days has 2,016 of for each host and setting.
    def test_a_full_block_is_small
      bytes = Codec.dump(block(many(MOST))).bytesize
      assert_operator bytes, :<, 24 * MOST
    end

    def test_stored_ones_merge_as_blocks_do
      all = many(2000)
      stored = all.each_slice(700).inject(nil) { |bytes, some| Codec.merge(bytes, block(some)) }
      again = Codec.merge(stored, block(all.first(50)))
      drawn = block([]).merge(block(all)).unit_samples.to_set
      assert_equal drawn, load(stored).to_set
      assert_equal drawn, load(again).to_set
      repeated = Codec.merge(Codec.dump(block(all.first(20))), block(all.first(7)))
      assert_equal 20, load(repeated).size
    end

    def test_reads_units_with_their_weight_in_the_block
      sample = block(many(30), seen: 300)
      weighted = Codec.load(Codec.dump(sample), sample.with(unit_samples: []), weighted: true)
      assert_equal copy(sample).weighted, weighted.weighted
      assert_equal [10.0], weighted.unit_samples.map(&:weight).uniq
    end

    def test_reads_only_when_units_ran
      all = [unit_sample(1), unit_sample(0.5, kind: :job, name: "ReportJob", queue: "low"), unit_sample(3)]
      found = Codec.load_spans(Codec.dump(block(all)), block([]))
      assert_equal block(all.sort_by(&:start_ns)).unit_spans, found
      assert_equal [all[1].start_ns, all[2].end_ns], [found.first_start_ns, found.last_end_ns]
      none = Codec.load_spans(Codec.dump(block([])), block([]))
      assert_equal [{}, nil], [none.spans, none.since_ns]
    end

    def test_first_and_last_of_some_units
      times = Holdup::SampleBlock::StartsAndEnds.new(starts_ns: [5, 1, 7], ends_ns: [6, 9, 8])
      assert_equal [1, 5, nil], [1, 2, 8].map { |at_ns| times.first_start_from(at_ns) }
      assert_equal [1, 1, nil], [6, 7, 10].map { |at_ns| times.first_start_of_ends_from(at_ns) }
      assert_equal [nil, 9, 9], [1, 5, 6].map { |at_ns| times.last_end_of_starts_before(at_ns) }
    end

    def test_refuses_another_version_with_its_number
      good = Codec.dump(block(many(3)))
      error = assert_raises(Holdup::DamagedData) { load("\x02".b + good[1..]) }
      assert_equal "unit samples have version 2; this Holdup reads 1", error.message
    end

    def test_refuses_damaged_bytes
      good = Codec.dump(block(many(3)))
      no_names = "\x01".b + Zlib.deflate("\x02[]\x00\x05")
      cut_names = "\x01".b + Zlib.deflate("\x05[[]]")
      ["", "\x03#{good[1..]}", good[0, 20], no_names, cut_names].each do |bad|
        assert_raises(Holdup::DamagedData) { load(bad.b) }
      end
    end

    private

    def load(bytes)
      Codec.load(bytes, block([])).unit_samples
    end

    def copy(block)
      Codec.load(Codec.dump(block), block.with(unit_samples: []))
    end
  end
end
