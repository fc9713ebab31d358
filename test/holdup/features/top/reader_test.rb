# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Top::ReaderTest < Minitest::Test
  NS = 1_000_000_000

  # Moved by hand.
  Hand = Struct.new(:monotonic_ns, :realtime_ns)

  def setup
    @dir = Dir.mktmpdir
    @clock = Hand.new(0, 1_790_000_000 * NS)
    @monitor = Holdup::Top::Reader.new(@dir, clock: @clock)
  end

  def teardown = FileUtils.remove_entry(@dir)

  def writer(**options)
    SegmentWriter.new(@dir, now_ns: @clock.realtime_ns, **options)
  end

  # @return [Holdup::Top::ProcessReadings] of the only process, some seconds later
  def after(seconds, writer: nil)
    @clock.monotonic_ns += seconds * NS
    @clock.realtime_ns += seconds * NS
    writer&.heartbeat(@clock.realtime_ns)
    @monitor.look.first
  end

  def test_a_pair_has_what_was_added_between_two_readings
    segment = writer
    segment.record("A#x", wall: 5_000_000, stalled: 2_000_000, queued: 1_000_000)
    @monitor.look
    3.times { segment.record("A#x", wall: 7_000_000, stalled: 4_000_000, queued: 3_000_000, caused_ns: 500) }
    pair = after(1).over(10 * NS)
    slot = pair.slots.first
    assert_equal "A#x", slot.series.name
    assert_equal({count: 3, wall_ns: 21_000_000, stalled_ns: 12_000_000, queued: 3, queued_ns: 9_000_000,
                  running_ns: 0, caused_ns: 1500}, slot.to_h.except(:series))
    assert_equal NS, pair.length_ns
  end

  def test_a_name_that_is_new_counts_from_zero
    segment = writer
    @monitor.look
    segment.record("A#x", wall: 5_000_000)
    assert_equal [1], after(1).over(10 * NS).slots.map(&:count)
  end

  def test_reads_each_name_that_grew_and_no_other
    segment = writer
    %w[A#x B#y].each { |name| segment.record(name, wall: 1_000_000) }
    before = @monitor.look.first.readings.last.slots
    segment.record("B#y", wall: 1_000_000)
    now = after(1).readings.last.slots
    assert_same before[0], now[0]
    assert_equal 2, now[1].count
  end

  def test_more_requests_than_the_ring_has_room_for
    segment = writer(ring: 16)
    segment.record("A#x", wall: 1_000_000)
    @monitor.look
    50.times { |index| segment.record((index < 10) ? "A#x" : "B#y", wall: 1_000_000) }
    assert_equal({"A#x" => 10, "B#y" => 40},
      after(1).over(10 * NS).slots.to_h { |slot| [slot.series.name, slot.count] })
  end

  def test_spans_reach_back_as_far_as_asked
    segment = writer
    @monitor.look
    readings = nil
    20.times do
      segment.record("A#x", wall: 1_000_000)
      readings = after(1)
    end
    assert_equal [10], readings.over(10 * NS).slots.map(&:count)
    assert_equal [20], readings.over(60 * NS).slots.map(&:count)
    assert_equal [1, 1, 1], readings.steps(3).map { |step| step.slots.sum(&:count) }
  end

  def test_keeps_a_minute
    writer
    readings = Array.new(100) { after(1) }.last
    assert_equal 61, readings.readings.size
    assert_equal 60 * NS, readings.over(60 * NS).length_ns
  end

  def test_counters_are_divided_by_the_time_between_ticks
    segment = writer
    segment.counter(:stalled_ns, 5 * NS)
    segment.heartbeat(@clock.realtime_ns)
    @monitor.look
    segment.counter(:stalled_ns, 8 * NS)
    assert_in_delta 1.5, after(2, writer: segment).over(10 * NS).threads(:stalled_ns)
  end

  def test_threads_are_unknown_between_two_ticks
    writer
    @monitor.look
    assert_nil after(1).over(10 * NS).threads(:stalled_ns)
  end

  # What is shown while the picture stands still must not move.
  def test_readings_do_not_change_afterwards
    segment = writer
    before = @monitor.look.first
    segment.record("A#x", wall: 1_000_000)
    after(1)
    assert_equal 1, before.readings.size
  end

  def test_closed_and_dead_processes_are_left_out
    writer(pid: Process.pid).close
    writer(pid: 2**22 - 7, start: 1).abandon
    after(60)
    assert_empty @monitor.look
  end

  def test_a_process_of_another_container_lives_while_it_ticks
    segment = writer(pid: 2**22 - 7, start: 1)
    segment.heartbeat(@clock.realtime_ns)
    assert_equal 1, @monitor.look.size
    after(60)
    assert_empty @monitor.look
  end

  def test_a_process_of_ours_that_was_killed_is_left_out_at_once
    segment = writer(pid: 2**22 - 7, start: 1, namespace: Holdup::Segment::OwnerProcess.new.namespace)
    segment.heartbeat(@clock.realtime_ns)
    assert_empty @monitor.look
  end

  def test_a_process_that_is_gone_begins_anew
    segment = writer
    segment.record("A#x", wall: 1_000_000)
    @monitor.look
    File.unlink(segment.path)
    assert_nil after(1)
    writer
    assert_equal 1, after(1).readings.size
  end

  def test_a_damaged_file_is_named_and_the_others_are_read
    writer
    File.write(File.join(@dir, "77-88.segment"), "x" * 5000)
    assert_equal 1, @monitor.look.size
    assert_match(/77-88.segment is not a segment/, @monitor.trouble)
  end

  def test_a_folder_that_is_missing_is_empty
    monitor = Holdup::Top::Reader.new(File.join(@dir, "none"), clock: @clock)
    assert_empty monitor.look
    assert_nil monitor.trouble
  end

  def test_a_process_is_called_by_its_worker_or_server
    segment = writer
    assert_equal "pid #{Process.pid}", @monitor.look.first.name
    segment.profile = {"server" => "sidekiq"}
    assert_equal "sidekiq #{Process.pid}", after(1).name
  end

  def test_a_worker_has_its_number
    writer(worker: 3).profile = {"server" => "puma"}
    assert_equal "worker 3", @monitor.look.first.name
  end
end
