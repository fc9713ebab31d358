# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector
  class SegmentDeltaTest < Minitest::Test
    include TemporaryFolder

    L = SegmentWriter::L
    NS = 1_000_000_000
    NOW_NS = 1_790_000_070 * NS
    # Above the highest number that Linux gives out.
    DEAD_PID = 4_194_999

    # Remembers the units that it is offered.
    class OfferedUnits
      attr_reader :offers

      def initialize
        @offers = []
      end

      def add(slice, missed, source, _now_ns)
        @offers << [slice.size, missed, source]
      end
    end

    def setup
      @builder = SegmentDelta::WindowBuilder.new
      @units = OfferedUnits.new
      @settings = {}
      @log = CollectedLog.new
      @skipped = SkippedRows.new(host: "h", warnings: RateLimitedLog.new(log: @log, clock: HandClock.new))
      @skipped.start(NOW_NS)
    end

    def test_each_reading_adds_only_later_units
      writer = writer()
      writer.record("A#b", wall: 5_000)
      first = read
      2.times { writer.record("A#b", wall: 9_000) }
      second = read(first)
      assert_equal 3, window("A#b").count
      assert_equal 23_000, window("A#b").histograms[:wall].sum
      read(second)
      assert_equal 3, window("A#b").count
    end

    def test_each_reading_adds_only_what_pairs_have_more
      writer = writer()
      %w[A#b B#c].each { |name| writer.record(name, wall: 5_000) }
      writer.pair(0, 1, 2, 700)
      first = read
      writer.pair(0, 1, 2, 750)
      writer.pair(1, 2, L::PAIR_HANDOFF, 9)
      second = read(first)
      assert_equal [750, 9], second.pairs
      assert_equal({%w[A#b B#c] => 750, %w[B#c (nobody)] => 9}, pairs)
      read(second)
      assert_equal 759, pairs.values.sum
    end

    def test_each_reading_adds_only_later_slowest_units
      writer = writer()
      %w[A#b B#c].each { |name| writer.record(name) }
      writer.slow(0, start_ns: NOW_NS, wall: 70, running: 70, parts: [[L::PART_PAIR, 2, 30]])
      known = stored(read)
      writer.slow(1, start_ns: NOW_NS, wall: 80, running: 80)
      read(stored(read(known)))
      units = @builder.slowest("h").flat_map(&:slow_units)
      assert_equal({"A#b" => 70, "B#c" => 80}, units.to_h { |slow| [slow.unit.series.name, slow.wall_ns] })
      assert_equal ["h"], units.map { |slow| slow.unit.host }.uniq
      assert_equal ["B#c"], units.flat_map(&:parts).map(&:name)
      assert_empty @skipped.rows
    end

    def test_slowest_units_that_were_overwritten_are_counted
      writer = writer()
      writer.record("A#b")
      (L::SLOWEST + 2).times { writer.slow(0, start_ns: NOW_NS) }
      read
      assert_equal [:slowest], @skipped.rows.map(&:kind)
      assert_match(/3 of the slowest were overwritten/, @skipped.rows.first.reason)
    end

    def test_damaged_pairs_are_skipped_and_the_rest_goes_on
      writer = writer()
      writer.record("A#b", wall: 5_000)
      writer.pair(0, 1, 77, 700)
      known = read
      assert_empty known.pairs
      assert_empty pairs
      assert_equal 1, window("A#b").count
      assert_match(/there is no series 77/, @skipped.rows.first.reason)
    end

    def test_readings_in_any_number_add_up_to_one
      random = Random.new(3)
      units = Array.new(40) { [%w[A#b B#c C#d].sample(random:), random.rand(1..90_000_000)] }
      known = nil
      writer = writer()
      units.each do |name, wall|
        writer.record(name, wall:)
        known = read(known) if random.rand(4).zero?
      end
      read(known)
      units.group_by(&:first).each do |name, own|
        histogram = window(name).histograms[:wall]
        expected = Holdup::Histogram.of(own.map(&:last))
        assert_equal expected.counts, histogram.counts, name
        assert_equal expected.sum, histogram.sum, name
      end
    end

    def test_an_account_that_gets_another_name_counts_for_both
      writer = writer()
      writer.account("thread:a", running: 100, caused: 10)
      known = read
      writer.account("thread:a", running: 150, caused: 15) # not read before the name changes
      writer.rename_account("thread:a", "thread:b")
      writer.account("thread:b", running: 157, caused: 16)
      known = read(known)
      assert_equal [100, 50, 7], ["thread:a", L::ENDED_THREADS, "thread:b"].map { |name| ran(name) }
      assert_equal [10, 5, 1], ["thread:a", L::ENDED_THREADS, "thread:b"].map { |name| caused(name) }
      writer.account("thread:b", running: 160, caused: 16)
      read(known)
      assert_equal 10, ran("thread:b")
    end

    def test_a_first_reading_of_an_account_that_had_other_names
      writer = writer()
      writer.account("thread:a", running: 100)
      writer.rename_account("thread:a", "thread:b")
      writer.account("thread:b", running: 130)
      writer.rename_account("thread:b", "thread:c")
      writer.account("thread:c", running: 131)
      read
      assert_equal [130, 1], [ran(L::ENDED_THREADS), ran("thread:c")]
      assert_nil window("thread:a")
    end

    def test_a_position_that_was_stored_knows_which_name_it_is_of
      writer = writer()
      writer.account("thread:a", running: 100)
      known = stored(read)
      writer.rename_account("thread:a", "thread:b")
      writer.account("thread:b", running: 104)
      known = stored(read(known))
      writer.account("thread:b", running: 109)
      read(known)
      assert_equal [100, 9], [ran("thread:a"), ran("thread:b")]
      assert_nil window(L::ENDED_THREADS)
    end

    # Each nanosecond once, and each label's are at most its own, whenever it is read.
    def test_accounts_under_any_names_add_up_whenever_they_are_read
      20.times do |seed|
        setup
        random = Random.new(seed)
        writer = SegmentWriter.new(folder, now_ns: NOW_NS, suffix: "-#{seed + 2}")
        names = Array.new(3) { |index| "thread:#{index}" }
        sums = [0, 0, 0]
        own = Hash.new(0)
        known = nil
        names.each { |name| writer.account(name) }
        60.times do |turn|
          slot = random.rand(3)
          case random.rand(5)
          when 0
            writer.rename_account(names[slot], "thread:new #{turn}")
            names[slot] = "thread:new #{turn}"
          when 1
            known = read_last(random.rand(2).zero? ? stored(known) : known)
          else
            more = random.rand(1..1_000_000)
            own[names[slot]] += more
            writer.account(names[slot], running: sums[slot] += more)
          end
        end
        read_last(known)
        carried = running_by_name
        assert_equal own.values.sum, carried.values.sum, "seed #{seed}"
        living = carried.except(L::ENDED_THREADS)
        living.each { |name, ns| assert_operator ns, :<=, own[name], "seed #{seed}" }
        names.each { |name| assert_equal own[name], carried[name].to_i, "seed #{seed}, #{name}" }
        writer.abandon
        File.unlink(writer.path)
      end
    end

    # A number that fell is damage, and counts for nobody.
    def test_an_account_whose_former_sums_are_damaged_keeps_its_checkpoint
      writer = writer()
      writer.account("thread:a", running: 100)
      known = read
      writer.rename_account("thread:a", "thread:b")
      at = writer.slot_offset(0) + L::FORMER_OFFSET + 8 * (L::SUMS.size + 1)
      writer.put_word(at, 99)
      known = read(known)
      assert_nil window(L::ENDED_THREADS)
      writer.put_word(at, 100)
      writer.account("thread:b", running: 107)
      read(known)
      assert_equal [100, 7], [ran("thread:a"), ran("thread:b")]
    end

    def test_yields_the_header_and_the_setting
      writer.setting = %({"ruby":"3.4.5"})
      header, setting = nil
      delta.call(entry, nil) { |*seen| header, setting = seen }
      assert_equal Process.pid, header.pid
      assert_equal "3.4.5", setting["ruby"]
    end

    def test_segments_with_the_same_text_share_one_setting
      2.times { |index| writer(suffix: "-#{index + 1}").setting = %({"ruby":"3.4.5"}) }
      settings = entries.map do |entry|
        seen = nil
        delta.call(entry, nil) { |_, setting| seen = setting }
        seen
      end
      assert_same(*settings)
    end

    def test_waits_for_a_setting_that_is_being_written
      writer = writer()
      writer.record("A#b", wall: 5_000)
      writer.put_word(L::SETTING_SEQ, 1)
      assert_nil read
      assert_empty @builder.windows("h")
      writer.put_word(L::SETTING_SEQ, 2)
      assert read
      assert_equal 1, window("A#b").count
    end

    def test_a_finished_segment_is_not_read_again
      writer.record("A#b", wall: 5_000)
      finished = read.done
      found = delta.call(entry, finished) { flunk "nothing is to be read" }
      assert_same finished, found
    end

    def test_a_position_of_another_segment_with_this_name_does_not_count
      writer.record("A#b", wall: 5_000)
      other = read.with(created_ns: 5).done
      refute read(other).finished
      assert_equal 2, window("A#b").count
    end

    def test_anew_adds_nothing_and_returns_the_position_to_continue_from
      writer = writer()
      writer.record("A#b", wall: 5_000)
      checkpoint = delta.call(entry, nil, anew: true) {}
      assert_empty @builder.windows("h")
      assert_empty @units.offers
      writer.record("A#b", wall: 9_000)
      read(checkpoint)
      assert_equal 1, window("A#b").count
      assert_equal 9_000, window("A#b").histograms[:wall].sum
    end

    def test_offers_the_units_of_the_ring_and_counts_those_that_it_has_lost
      writer = writer(ring: 8)
      20.times { writer.record("A#b", wall: 5_000) }
      checkpoint = read
      size, missed, source = @units.offers.first
      assert_equal 20, size + missed
      assert_equal 7, size, "the oldest entry may be overwritten at any time"
      assert_equal ["A#b"], source.series.map(&:name)
      assert_equal Process.pid, source.process.pid
      writer.record("A#b", wall: 5_000)
      read(checkpoint)
      assert_equal [1, 0], @units.offers.last.first(2)
    end

    def test_a_segment_without_new_units_offers_none
      writer.account("main", caused: 5)
      read
      assert_empty @units.offers
      assert_equal 5, window("main").sums[:caused_ns]
    end

    def test_windows_do_not_depend_on_the_sampler
      writer.record("A#b", wall: 5_000)
      @units.define_singleton_method(:add) { |*| raise "broken" }
      assert read
      assert_equal 1, window("A#b").count
      assert_equal [:unit_samples], @skipped.rows.map(&:kind)
      assert_match(/broken \(RuntimeError\)/, @skipped.rows.first.reason)
    end

    def test_a_damaged_slot_stops_no_other_and_is_complete_when_it_heals
      writer = writer()
      2.times { |index| writer.record(%w[A#b B#c][index], wall: 5_000) }
      first = read
      writer.record("A#b", wall: 5_000)
      writer.record("B#c", wall: 5_000)
      damage(writer, 0) { @damaged = read(first) }
      assert_equal [1, 2], %w[A#b B#c].map { |name| window(name).count }
      assert_equal [[:series, "A#b"]], @skipped.rows.map { |row| [row.kind, row.name] }
      read(@damaged)
      assert_equal [2, 2], %w[A#b B#c].map { |name| window(name).count }
    end

    def test_a_slot_that_was_always_damaged_is_named_by_its_place
      writer = writer()
      writer.record("A#b", wall: 5_000)
      damage(writer, 0) { 2.times { read } }
      assert_equal ["slot 0 of #{entry.name}"], @skipped.rows.map(&:name)
      assert_empty @builder.windows("h")
    end

    def test_a_series_that_is_gone_refuses_the_whole_file
      writer = writer()
      %w[A#b B#c].each { |name| writer.record(name, wall: 5_000) }
      first = read
      writer.record("A#b", wall: 5_000)
      writer.put_word(L::SERIES_COUNT, 1)
      error = assert_raises(Holdup::SegmentError::NotASegment) { read(first) }
      assert_match(/a series is gone/, error.message)
      assert_equal 1, window("A#b").count
    end

    def test_a_damaged_position_counts_as_carried
      writer = writer()
      3.times { writer.record("A#b", wall: 5_000) }
      damaged = read.with(slots: [SegmentCheckpoint::SlotCheckpoint.load("\x00\x03\x00\x01".b)])
      @builder = SegmentDelta::WindowBuilder.new
      writer.record("A#b", wall: 5_000)
      after = read(damaged)
      assert_empty @builder.windows("h")
      assert_equal [:checkpoint], @skipped.rows.map(&:kind)
      writer.record("A#b", wall: 7_000)
      read(after)
      assert_equal 7_000, window("A#b").histograms[:wall].sum
    end

    def test_handoff_is_added_as_it_grows
      writer = writer()
      writer.counter(:handoff_ns, 10)
      first = read
      writer.counter(:handoff_ns, 25)
      second = read(first)
      read(second)
      assert_equal 25, handoff_ns
    end

    def test_a_handoff_that_went_back_is_not_subtracted_and_not_counted_twice
      writer = writer()
      writer.counter(:handoff_ns, 20)
      known = read
      [15, 20, 22].each do |handoff_ns|
        writer.counter(:handoff_ns, handoff_ns)
        known = read(known)
      end
      assert_equal 22, handoff_ns
    end

    def test_a_damaged_handoff_is_left_out_until_it_is_plausible
      writer = writer()
      writer.counter(:handoff_ns, L::MAX_NUMBER + 1)
      known = read
      assert_equal 0, known.handoff_ns
      assert_match(/counter is damaged/, @skipped.rows.first.reason)
      writer.counter(:handoff_ns, L::MAX_NUMBER)
      read(known)
      assert_equal L::MAX_NUMBER, handoff_ns
    end

    def test_refuses_the_segment_of_another_process
      File.rename(writer.path, File.join(folder, "77-5.segment"))
      error = assert_raises(Holdup::SegmentError::NotASegment) { read }
      assert_match(/its name says process 77, its header #{Process.pid}/, error.message)
    end

    def test_a_closed_segment_is_finished
      writer = writer()
      writer.record("A#b", wall: 5_000)
      refute read.finished
      writer.close
      closed = read
      assert closed.finished
      assert_empty closed.slots
      assert_equal 1, closed.ring_head
    end

    # Its process may run in another container with the same folder.
    def test_a_process_that_we_do_not_see_is_finished_when_it_is_silent_for_too_long
      silent_ns = SegmentDelta::SILENT_NS
      {0 => false, silent_ns => false, silent_ns + 1 => true, -silent_ns => false,
       -silent_ns - 1 => true}.each do |age_ns, expected|
        file = writer(pid: DEAD_PID, start: 5, now_ns: NOW_NS - age_ns)
        assert_equal expected, read.finished, "silent for #{age_ns} ns"
        File.unlink(file.path)
      end
    end

    def test_a_process_that_runs_is_never_silent_for_too_long
      writer.heartbeat(NOW_NS - 1000 * NS)
      refute read.finished
    end

    def test_units_belong_to_the_minute_in_the_middle
      minute_ns = NOW_NS - NOW_NS % (60 * NS)
      starts = {minute_ns - 20 * NS => minute_ns - 60 * NS, minute_ns - 5 * NS => minute_ns}
      starts.each do |from_ns, start_ns|
        file = writer(now_ns: from_ns)
        file.record("A#b", wall: 5_000)
        @builder = SegmentDelta::WindowBuilder.new
        read(nil, now_ns: minute_ns + 10 * NS)
        assert_equal start_ns / NS, window("A#b").start_s
        File.unlink(file.path)
      end
    end

    # The clock of a machine may be years off while it boots.
    def test_an_impossible_time_counts_as_now
      [5, NOW_NS - SegmentDelta::OLDEST_NS - 1, NOW_NS + 86_400 * NS].each do |created_ns|
        file = writer(now_ns: created_ns)
        file.record("A#b", wall: 5_000)
        @builder = SegmentDelta::WindowBuilder.new
        read
        assert_equal NOW_NS / NS / 60 * 60, window("A#b").start_s, "created at #{created_ns}"
        File.unlink(file.path)
      end
    end

    private

    # @return [Hash{Array(String, String) => Integer}] ns by who waited and who held the GVL
    def pairs
      found = @builder.windows("h").select { |window| window.series.kind == :pair }
      found.to_h { |window| [[window.series.name, window.series.queue], window.stalled_ns] }
    end

    def writer(now_ns: NOW_NS, **)
      SegmentWriter.new(folder, now_ns:, **)
    end

    def entries = Holdup::Segment::Directory.new(folder).entries

    def entry = entries.first

    def delta(now_ns = NOW_NS)
      SegmentDelta.new(builder: @builder, now_ns:, settings: @settings, unit_sampler: @units,
        skipped: @skipped)
    end

    def read(known = nil, now_ns: NOW_NS)
      delta(now_ns).call(entry, known) {}
    end

    # More values than its buckets have, while the block runs.
    def damage(writer, index)
      offset = writer.slot_offset(index) + L.histogram_offset(0)
      count = File.binread(writer.path, 8, offset).unpack1("Q<")
      writer.put_word(offset, count + 1)
      yield
      writer.put_word(offset, count)
    end

    def ran(name) = window(name).histograms[:running].sum

    def caused(name) = window(name).sums[:caused_ns]

    def running_by_name
      @builder.windows("h").to_h { |window| [window.series.name, window.histograms[:running].sum] }
    end

    def read_last(known) = delta.call(entries.last, known) {}

    # As it comes back from a store.
    def stored(known)
      codec = SegmentCheckpoint::Codec
      known && codec.load(codec.dump_head(known), codec.dump_units(known))
    end

    def window(name)
      @builder.windows("h").find { |window| window.series.name == name }
    end

    def handoff_ns = window(Holdup::Series::HANDOFF.name).sums[:caused_ns]
  end
end
