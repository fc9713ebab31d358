# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "holdup/agent/stats_log/process_reading"

class Holdup::StatsLog::ProcessReadingTest < Minitest::Test
  include TemporaryFolder

  OwnSegment = Holdup::StatsLog::OwnSegment
  ProcessReading = Holdup::StatsLog::ProcessReading
  ProcessTotals = Holdup::StatsLog::ProcessTotals
  L = Holdup::Segment::Layout

  # Reads the memory of a segment, as the probe does.
  class FileProbe
    def initialize(path)
      @path = path
    end

    def read_segment(offset, length)
      bytes = File.binread(@path, length, offset)
      bytes if bytes&.bytesize == length
    end
  end
  ClosedProbe = Class.new do
    def read_segment(_offset, _length) = nil
  end

  SizeAlone = Data.define(:series_count)
  EmptyReader = Data.define(:header) do
    def slot(_index) = nil
  end

  def setup
    @writer = SegmentWriter.new(folder, worker: 3)
  end

  def test_sums_requests_jobs_and_the_overflow
    @writer.record("A#b", wall: 10_000, running: 6_000, stalled: 3_000, idle: 1_000)
    @writer.record("Mail", kind: :job, wall: 20_000, running: 5_000, error: true)
    @writer.record("(others)", kind: :overflow, wall: 30_000)
    assert_equal 3, totals.units
    assert_equal 1, totals.errors
    assert_equal({wall: 60_000, running: 11_000, stalled: 3_000, idle: 1_000}, totals.sums)
    assert_equal 3, totals.histograms[:wall].count
  end

  def test_leaves_out_the_time_of_threads_outside_of_units
    @writer.record("A#b", wall: 10_000)
    @writer.account("main", running: 99_000)
    assert_equal 1, totals.units
    assert_equal 0, totals.sums[:running]
  end

  def test_the_time_of_nested_units_counts_once
    @writer.record("A#b", wall: 10_000, running: 8_000)
    @writer.record("B#c", wall: 4_000, running: 3_000)
    @writer.nested(wall: 4_000, running: 3_000)
    assert_equal 2, totals.units
    assert_equal 10_000, totals.sums[:wall]
    assert_equal 8_000, totals.sums[:running]
    assert_equal 14_000, totals.histograms[:wall].sum
  end

  def test_a_segment_without_units_is_none
    assert_equal ProcessTotals.none, totals
  end

  def test_more_slots_than_are_read_at_once_all_count
    writer = SegmentWriter.new(folder, suffix: "-2", capacity: 300)
    300.times { |index| writer.record("A#b#{index}", wall: 2_000) }
    sums = ProcessTotals.of(OwnSegment.new(FileProbe.new(writer.path)).reader)
    assert_equal 300, sums.units
    assert_equal 600_000, sums.sums[:wall]
  end

  # Else a large process would keep its own units waiting for the whole reading.
  def test_passes_the_gvl_on_a_few_times_in_a_large_segment
    {ProcessTotals::FEWEST => 0, ProcessTotals::FEWEST + 1 => 1, ProcessTotals::FEWEST * 2 => 1,
     ProcessTotals::FEWEST * 64 => 7}.each do |series_count, passes|
      assert_equal passes, passes_of(series_count), "#{series_count} slots"
    end
  end

  def test_the_difference_of_two_readings_has_the_units_in_between
    @writer.record("A#b", wall: 10_000, running: 4_000, queued: 2_000)
    before = totals
    @writer.record("A#b", wall: 50_000, running: 9_000, error: true)
    between = totals - before
    assert_equal 1, between.units
    assert_equal 1, between.errors
    assert_equal 50_000, between.sums[:wall]
    assert_equal 9_000, between.sums[:running]
    assert_equal 1, between.histograms[:wall].count
    assert_equal 0, between.histograms[:queued].count
    assert_equal ProcessTotals.none, totals - totals
  end

  def test_shares_of_the_elapsed_time
    @writer.record("A#b", wall: 10_000, stalled: 4_000)
    assert_in_delta 0.4, totals.share(:stalled)
    assert_nil ProcessTotals.none.share(:stalled)
  end

  def test_quantiles_of_all_units
    100.times { |index| @writer.record("A#b", wall: (index + 1) * 1_000_000) }
    assert_in_epsilon 95_000_000, totals.quantile(:wall, 0.95), 0.045
    assert_nil totals.quantile(:queued, 0.95)
  end

  def test_takes_times_gauges_and_texts
    @writer.setting = %({"ruby":"3.4.5"})
    @writer.profile = {"server" => "puma"}
    @writer.gauge(:backlog, 4)
    reading = take(gauges: {backlog: 1, of_holdup: 2})
    assert_equal "3.4.5", reading.setting["ruby"]
    assert_equal({"server" => "puma"}, reading.profile)
    assert_equal 5, reading.at_ns
    assert_equal 6, reading.monotonic_ns
    assert_equal 4, reading.gauges[:backlog], "the segment knows better"
    assert_equal 2, reading.gauges[:of_holdup]
  end

  def test_a_gauge_that_the_segment_does_not_know_stays
    assert_equal 1, take(gauges: {backlog: 1}).gauges[:backlog]
  end

  def test_reads_resident_memory_where_the_system_reports_it
    assert_equal 2048, take(status: status("Name:\truby\nVmRSS:\t       2 kB\n")).rss_bytes
    assert_nil take(status: status("Name:\truby\n")).rss_bytes
    assert_nil take(status: File.join(folder, "missing")).rss_bytes
  end

  def test_only_a_worker_has_an_index
    assert_equal 3, take.worker
    alone = SegmentWriter.new(folder, suffix: "-2")
    assert_nil take(OwnSegment.new(FileProbe.new(alone.path))).worker
  end

  def test_a_closed_segment_can_not_be_read
    assert_raises(Holdup::SegmentError) { take(OwnSegment.new(ClosedProbe.new)) }
    assert_nil OwnSegment.new(ClosedProbe.new).header
  end

  def test_reading_beyond_the_end_is_an_error
    own = OwnSegment.new(FileProbe.new(@writer.path))
    assert_equal L::MAGIC, own.pread(8, 0)
    assert_raises(EOFError) { own.pread(8, File.size(@writer.path)) }
    assert_equal Process.pid, own.header.pid
  end

  private

  def source = OwnSegment.new(FileProbe.new(@writer.path))

  def totals = ProcessTotals.of(source.reader)

  def take(from = source, gauges: {}, status: "/proc/self/status")
    ProcessReading.take(from, gauges:, clock: HandClock.new(realtime_ns: 5, monotonic_ns: 6), status:)
  end

  def status(text)
    path = File.join(folder, "status")
    File.write(path, text)
    path
  end

  def passes_of(series_count)
    passes = 0
    header = SizeAlone.new(series_count:)
    Thread.stub(:pass, -> { passes += 1 }) { ProcessTotals.of(EmptyReader.new(header:)) }
    passes
  end
end
