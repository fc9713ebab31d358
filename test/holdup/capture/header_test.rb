# frozen_string_literal: true

require "test_helper"
require "holdup/capture/header"

class Holdup::Capture::HeaderTest < Minitest::Test
  MS = 1_000_000
  Layout = Holdup::Capture::Layout
  Header = Holdup::Capture::Header
  Reason = Holdup::Capture::Reason

  def bytes
    @bytes ||= EventRing.new.running(2).begins(1, 2, MS).ends(1, 2, 2 * MS, name: "GET /hog")
      .bytes(to: 9 * MS)
  end

  def header(bytes = self.bytes) = Header.parse(bytes, path: "/x")

  # @return [String] with another value in a field of the header
  def changed(field, value)
    names = Layout::HEADER_FIELDS
    values = bytes.unpack(Layout::HEADER_FORMAT)
    values[names.index(field)] = value
    packed = values.pack(Layout::HEADER_FORMAT)
    packed + bytes.byteslice(packed.bytesize..)
  end

  def refused(bytes) = assert_raises(Holdup::DamagedData) { header(bytes) }.message

  def test_the_process_and_the_events
    found = header
    assert_equal 3, found.head, "that the window begins is an event, too"
    assert_equal 0, found.overwritten
    assert_predicate found, :closed?
    assert_equal found.events_offset + 3 * found.event_bytes, found.events_bytes
  end

  def test_other_bytes_are_no_capture
    assert_includes refused("no capture"), "/x is not a capture of Holdup (it starts with other bytes)"
    assert_includes refused("\0" * bytes.bytesize), "starts with other bytes"
    assert_includes refused(bytes.byteslice(0, Layout::HEADER_BYTES - 1)), "starts with other bytes"
  end

  def test_a_later_layout_is_named
    later = bytes.dup
    later[Layout::MAGIC.bytesize, 4] = [Layout::VERSION + 1].pack("L<")
    assert_includes refused(later), "it has layout #{Layout::VERSION + 1}, this Holdup reads up to"
  end

  # Whoever reads them would ask for all memory, or never end.
  def test_numbers_that_can_not_be_true_are_refused
    most = (1 << 64) - 1
    {capacity: 3, rate: 0, event_bytes: 16, thread_count: most, thread_capacity: most, name_capacity: most,
     events_offset: most}.each do |field, value|
      assert_includes refused(changed(field, value)), "its parts have other sizes", field
    end
  end

  def test_a_file_that_ends_before_its_last_event_is_cut_short
    found = header
    assert_same found, found.whole!(bytes, path: "/x")
    short = bytes.byteslice(0, Layout::HEADER_BYTES)
    error = assert_raises(Holdup::DamagedData) { found.whole!(short, path: "/x") }
    assert_includes error.message, "it is cut short at #{Layout::HEADER_BYTES} bytes"
  end

  def test_newer_events_have_overwritten_the_oldest
    full = header.with(head: header.capacity + 5)
    assert_equal 5, full.overwritten
    assert_equal full.events_offset + full.capacity * full.event_bytes, full.events_bytes
  end

  def test_a_worker_is_named_by_its_number
    assert_equal "worker 3", header.with(worker_index: 3).process_name
    assert_equal "pid #{header.pid}", header.with(worker_index: -1).process_name
  end

  def test_ticks_are_nanoseconds_by_the_rate_of_the_clock
    half = header.with(rate: 1 << 31)
    assert_equal 500, half.ns(1000)
    assert_equal 1000, half.ticks(500)
  end

  def test_the_reason_is_flat_and_of_known_types
    reason = {"by" => "rule", "stalled_ns" => 5, "share" => 0.5, "whole" => true}
    told = Reason.add(bytes.dup, {**reason, "nested" => {"a" => 1}})
    assert_equal reason, Reason.of(told).slice(*reason.keys)
    refute_includes Reason.of(told), "nested"
    more = Reason.add(told, {"by" => "hand"})
    assert_equal ["hand", 5], Reason.of(more).values_at("by", "stalled_ns")
  end

  def test_a_reason_that_has_no_room_is_left_out
    long = Reason.add(bytes.dup, {"text" => "x" * Layout::FACTS_BYTES})
    assert_equal bytes, long
    assert_equal bytes.bytesize, Reason.add(bytes.dup, {"by" => "hand"}).bytesize
  end

  def test_damaged_reasons_are_none
    ["{", "[1]", "\xff\xfe", ""].each do |text|
      damaged = bytes.dup
      damaged[Layout::FACTS, 4 + text.bytesize] = [text.bytesize].pack("L<") + text.b
      assert_empty Reason.of(damaged), text.inspect
    end
    endless = bytes.dup
    endless[Layout::FACTS, 4] = [1 << 31].pack("L<")
    assert_empty Reason.of(endless)
  end
end
