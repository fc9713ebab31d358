# frozen_string_literal: true

require "test_helper"
require "holdup/segment/header"
require "support/segment_writer"

class Holdup::Segment::HeaderTest < Minitest::Test
  include TemporaryFolder

  Header = Holdup::Segment::Header
  Layout = Holdup::Segment::Layout

  def test_which_process_it_is
    assert_equal ["pid 7", "worker 2"],
      [{pid: 7}, {pid: 8, worker: 2}].map { |process| header(**process).process_name }
  end

  def test_what_its_process_did_with_it
    plain = header
    refute plain.closed? || plain.locked? || plain.moved? || plain.applying?
    assert_predicate plain.with(state: Layout::CLOSED), :closed?
    assert_predicate plain.with(state: Layout::LOCKED | Layout::CLOSED), :locked?
    assert_predicate plain.with(state: Layout::MOVED), :moved?
    assert_predicate plain.with(seq: 3), :applying?
  end

  def test_pools_end_with_the_first_that_is_unknown
    writer = SegmentWriter.new(folder, pid: 7, start: 1)
    writer.pools = [[5, 2, 0, 40, 90], [3, 1, 4]]
    pools = parse(File.binread(writer.path)).pools
    assert_equal [{max: 5, busy: 2, backlog: 0, oldest_ns: 40, busy_ns: 90}, {max: 3, busy: 1, backlog: 4}],
      pools.map(&:compact)
    assert_nil pools.last[:busy_ns], "none is unknown"
  end

  def test_a_file_of_something_else
    error = assert_raises(Holdup::SegmentError::NotASegment) { parse(bytes.sub(/\A./n, "X")) }
    assert_includes error.message, "it starts with other bytes"
  end

  def test_a_file_of_another_version
    at = Layout::MAGIC.bytesize
    other = bytes.tap { |text| text[at, 4] = [Layout::VERSION + 1].pack("L<") }
    assert_raises(Holdup::SegmentError::UnknownLayout) { parse(other) }
  end

  # In a shared folder a file may be anything: no figure of it is used before it is checked.
  def test_what_can_not_be_is_no_segment
    {
      {header_bytes: 8} => "its parts have other sizes",
      {series_count: 65} => "it claims 65 series of 64",
      {series_capacity: Layout::MAX_SERIES + 1} => "it claims",
      {ring_capacity: 0} => "it claims 0 ring entries",
      {series_offset: 0} => "its parts overlap",
      {log_length: Layout::LOG_PAIRS + 1} => "its log or setting is too long",
      {setting_length: Layout::SETTING_BYTES + 1} => "its log or setting is too long"
    }.each do |fields, reason|
      found = header.with(**fields).enum_for(:each_implausibility).to_a
      assert(found.any? { |text| text.start_with?(reason) }, "#{fields}: #{found}")
    end
    assert_empty header.enum_for(:each_implausibility).to_a
  end

  def test_slots_follow_each_other
    header = header()
    assert_equal Layout::SERIES_BYTES, header.slot_offset(1) - header.slot_offset(0)
    assert_equal header.series_offset, header.slot_offset(0)
  end

  private

  def bytes(**process)
    @number = @number.to_i + 1
    File.binread(SegmentWriter.new(folder, pid: 7, start: @number, **process).path)
  end

  def header(**process) = parse(bytes(**process))

  def parse(bytes) = Header.parse(bytes, path: "x.segment")
end
