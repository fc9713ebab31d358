# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/segment/directory"

module Holdup
  module Segment
    class ReaderTest < Minitest::Test
      L = Layout

      def setup
        @dir = Dir.mktmpdir("holdup-reader")
        @writer = SegmentWriter.new(@dir, worker: 3)
      end

      def teardown
        FileUtils.rm_rf(@dir)
      end

      def test_reads_what_was_written
        @writer.setting = %({"ruby":"3.4.5","threads":5})
        [1_500, 2_000_000, 7_000_000_000].each do |wall|
          @writer.record("A#b", wall:, running: wall / 2, cpu_ns: wall / 4, queued: 9_000)
        end
        @writer.record("J", kind: :job, queue: "low", error: true, wall: 100)
        slot = snapshot.slot("A#b")
        assert_equal Histogram.of([1_500, 2_000_000, 7_000_000_000]), slot.histogram(:wall)
        assert_equal Histogram.of([9_000] * 3), slot.histogram(:queued)
        assert_equal [3, 0, 1_750_500_375], [slot.count, slot.errors, slot.named_sums[:cpu_ns]]
        assert_equal [1, 1, 0],
          snapshot.slot("J", kind: :job,
            queue: "low").then { |job| [job.count, job.errors, job.histogram(:queued).count] }
        assert_equal({"ruby" => "3.4.5", "threads" => 5}, snapshot.setting.attributes)
        assert_equal "worker 3", snapshot.header.process_name
      end

      def test_pool_and_priority_of_jobs
        @writer.record("J", kind: :job, queue: "low", pool: "default (low)", priority: "-1")
        assert_equal [Series.new(kind: :job, name: "J", queue: "low", pool: "default (low)", priority: "-1")],
          snapshot.slots.map(&:series)
      end

      def test_reads_the_path_of_a_request
        @writer.record("A#b")
        assert_nil snapshot.slot("A#b").path
        %w[/orders/7 /orders/8].each { |path| @writer.record("A#b", path:) }
        assert_equal "/orders/7", snapshot.slot("A#b").path
        @writer.put_word(@writer.slot_offset(0) + L::PATH_OFFSET, 121)
        assert_nil snapshot.slot("A#b").path
      end

      def tick(caused)
        @writer.put_word(L::TICK_SEQ, @ticks = @ticks.to_i + 1)
        @writer.account("main", caused:)
        yield if block_given?
        @writer.counter(:handoff_ns, caused)
        @writer.put_word(L::TICK_SEQ, @ticks += 1)
      end

      # @yieldparam try [Integer] of the reading, between its two parts
      # @return [Array<Integer>] what the account and the header say
      def read_of_one_tick(pause: -> {}, &between)
        entry.read do |reader|
          tries = 0
          reader.of_one_tick(pause:) do
            caused = reader.slot(0).sums[L::SUMS.index(:caused_ns)]
            between.call(tries += 1)
            [reader.header.counters[:handoff_ns], caused]
          end
        end
      end

      def test_accounts_and_counters_are_of_one_tick
        tick(1)
        assert_equal [2, 2], read_of_one_tick { |try| tick(2) if try == 1 }
      end

      def test_a_tick_that_is_being_written_is_waited_for
        tick(1)
        writing = Fiber.new { tick(2) { Fiber.yield } }
        writing.resume
        assert_equal [2, 2], read_of_one_tick(pause: -> { writing.resume }) { nil }
      end

      def test_a_tick_that_never_ends_keeps_nobody
        tick(1)
        tries = []
        pauses = 0
        tick(2) { assert_equal [1, 2], read_of_one_tick(pause: -> { pauses += 1 }) { |try| tries << try } }
        assert_equal [[1], Reader::TICK_TRIES], [tries, pauses]
      end

      def test_pools_of_threads
        @writer.pools = [[5, 2, 0], [10, nil, 3, 9_000]]
        assert_equal [[5, 2, 0, nil], [10, nil, 3, 9_000]],
          snapshot.header.pools.map { |pool| pool.values_at(:max, :busy, :backlog, :oldest_ns) }
      end

      def test_random_units_equal_the_histogram_of_their_values
        random = Random.new(7)
        walls = Array.new(400) { Math.exp(random.rand(0.0..31.0)).to_i }
        walls.each { |wall| @writer.record("A#b", wall:) }
        assert_equal Histogram.of(walls), snapshot.slot("A#b").histogram(:wall)
      end

      def test_gauges_and_counters
        @writer.gauge(:threads, 5)
        @writer.counter(:handoff_ns, 77)
        assert_equal [5, nil, 77],
          [snapshot.gauges[:threads], snapshot.gauges[:backlog], snapshot.counters[:handoff_ns]]
      end

      def test_the_ring_keeps_the_newest_and_continues_from_a_head
        70.times { |index| @writer.record("A#b", wall: index + 1) }
        assert_equal (8..70).to_a, snapshot.ring.map(&:wall_ns)
        assert_equal [69, 70], entry.read { |reader| reader.ring(since: 68) }.map(&:wall_ns)
        assert_nil snapshot.ring.last.queued_ns
      end

      def test_the_ring_can_be_read_without_parsing_it
        70.times { |index| @writer.record("A#b", wall: index + 1) }
        slice = entry.read { |reader| reader.ring_slice(since: 60) }
        assert_equal 60, slice.first
        assert_equal 10, slice.size
        assert_equal 65, slice.entry(4).wall_ns
        assert_equal [61, 62], slice.drop(0).entries.first(2).map(&:wall_ns)
        assert_equal slice.entries.map(&:start_ns), slice.starts
        assert_equal 0, entry.read { |reader| reader.ring_slice(since: 70) }.size
        assert_equal 7, entry.read { |reader| reader.ring_slice(since: 3) }.first
      end

      def test_without_a_setting
        assert_empty snapshot.setting.attributes
      end

      # A process can die at any write. Dead, its segment has the unit whole or not at all, and never half.
      def test_a_unit_is_whole_or_absent_wherever_the_process_dies
        assert_equal [0, 0, 0, 0], die_after(0)
        (1..40).each { |writes| assert_equal complete_unit, die_after(writes), "after #{writes} writes" }
      end

      def test_reads_no_partial_slot_of_a_running_process
        assert_raises(SegmentWriter::Died) { @writer.record("A#b", wall: 5_000, die_after: 4) }
        assert_nil entry(alive: true).read { |reader| reader.slot(0) }
      end

      def test_an_unchanged_slot_is_the_same_object
        @writer.record("A#b", wall: 5_000)
        entry.read do |reader|
          first = reader.slot(0)
          assert_same first, reader.slot(0, first)
          @writer.record("A#b", wall: 5_000)
          assert_equal 2, reader.slot(0, first).count
        end
      end

      def test_another_layout_says_which_and_what_to_do
        other = Layout::VERSION + 1
        @writer.put_word(8, other | (4096 << 32))
        error = assert_raises(SegmentError::UnknownLayout) { snapshot }
        expected = /layout #{other}, this Holdup reads layout #{Layout::VERSION}.*restart the collector/
        assert_match(expected, error.message)
      end

      def test_refuses_files_that_are_not_segments
        ["", "x" * 10_000, "\0" * 4096].each do |content|
          File.binwrite(File.join(@dir, "1-1.segment"), content)
          path = File.join(@dir, "1-1.segment")
          error = assert_raises(SegmentError::NotASegment) { Reader.open(path) { |reader| reader } }
          assert_match(/is not a segment of Holdup/, error.message)
        end
      end

      def test_rejects_headers_with_impossible_values
        @writer.record("A#b", wall: 5_000)
        lies = {L::SERIES_COUNT => 1 << 40, 56 => 1 << 50, 64 => 0, 72 => 1, 80 => 5, 88 => 1 << 60,
                112 => 1 << 62, L::LOG_LENGTH => 9_999, L::SETTING_LENGTH => 1 << 33}
        lies.each do |offset, lie|
          bytes = File.binread(@writer.path).tap { |copy| copy[offset, 8] = [lie].pack("Q<") }
          assert_raises(SegmentError::NotASegment, "offset #{offset}") { read_copy(bytes) }
        end
      end

      def test_a_file_cut_short_anywhere_is_refused_or_read
        @writer.record("A#b", wall: 5_000)
        bytes = File.binread(@writer.path)
        [100, 4095, 4096, 20_000, bytes.size - 30_000, bytes.size - 1].each do |length|
          assert_raises(SegmentError::NotASegment, "cut at #{length}") { read_copy(bytes[0, length]) }
        end
      end

      def test_random_damage_neither_hangs_nor_escapes
        20.times { |index| @writer.record("A#b", wall: index * 10_000) }
        bytes = File.binread(@writer.path)
        random = Random.new(3)
        outcomes = Array.new(300) { read_or_refuse(damage(bytes, random)) }
        assert_equal [SegmentSnapshot, SegmentError], outcomes.uniq.sort_by(&:name)
      end

      def test_a_symbolic_link_is_not_followed
        File.symlink(@writer.path, File.join(@dir, "1-1.segment"))
        assert_raises(Errno::ELOOP) { Reader.open(File.join(@dir, "1-1.segment")) { |reader| reader } }
      end

      def test_hostile_names_come_out_as_text
        @writer.record("a\0\xFF\u3042".b, wall: 1)
        assert_equal "a??\u3042", snapshot.slots.first.series.name
      end

      private

      def entry(alive: true)
        Directory.new(@dir).entries.find { |found| found.path == @writer.path }.with(alive:)
      end

      def snapshot(...)
        entry(...).read { |reader| reader.snapshot }
      end

      def complete_unit
        @complete_unit ||= begin
          dir = File.join(@dir, "whole")
          SegmentWriter.new(dir).record("A#b", wall: 5_000, cpu_ns: 7)
          numbers(Directory.new(dir).entries.first)
        end
      end

      def die_after(writes)
        dir = File.join(@dir, "dies#{writes}")
        begin
          SegmentWriter.new(dir).record("A#b", wall: 5_000, cpu_ns: 7, die_after: writes)
        rescue SegmentWriter::Died
          nil
        end
        numbers(Directory.new(dir).entries.first.with(alive: false))
      end

      def numbers(entry)
        snapshot = entry.read { |reader| reader.snapshot }
        slot = snapshot.slots.first
        [slot.count, slot.named_sums[:cpu_ns], slot.histogram(:wall).sum, snapshot.ring.size]
      end

      def read_copy(bytes)
        path = File.join(@dir, "9-9.segment")
        File.binwrite(path, bytes)
        Reader.open(path, gone: bytes.getbyte(L::SEQ).odd?, &:snapshot)
      end

      def read_or_refuse(bytes)
        read_copy(bytes).class
      rescue SegmentError
        SegmentError
      end

      def damage(bytes, random)
        Array.new(4) { random.rand(bytes.size) }.each_with_object(bytes.dup) do |at, copy|
          copy.setbyte(at, random.rand(256))
        end
      end
    end
  end
end
