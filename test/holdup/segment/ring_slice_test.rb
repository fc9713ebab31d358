# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "tempfile"

# A ring in a file, written as the probe writes it: unit n is in place n modulo the capacity.
class Holdup::Segment::RingSliceTest < Minitest::Test
  Layout = Holdup::Segment::Layout
  RingSlice = Holdup::Segment::RingSlice
  ByteReader = Holdup::Segment::ByteReader
  CAPACITY = 8
  Header = Struct.new(:ring_head, :ring_capacity, :ring_offset)

  def entry(number)
    figures = Array.new(Layout::RING_FIELDS.size - 6) { |index| number * 100 + index }
    [1_000 + number, *figures, Layout::UNKNOWN, 1500, 2, format("%032x", number)].pack(Layout::RING_ENTRY)
  end

  # @param units [Integer] written so far
  # @param since [Integer] units already known
  # @param meanwhile [Integer] units that are written between the reading of the header and of the ring
  def slice(units, since: 0, meanwhile: 0)
    Tempfile.create("ring", binmode: true) do |file|
      all = units + meanwhile
      [all - CAPACITY, 0].max.upto(all - 1) do |number|
        file.pwrite(entry(number), Layout::RING_OFFSET + number % CAPACITY * Layout::RING_ENTRY_BYTES)
      end
      file.truncate(Layout::RING_OFFSET + CAPACITY * Layout::RING_ENTRY_BYTES)
      file.pwrite([all].pack("Q<"), Layout::RING_HEAD)
      return RingSlice.read(ByteReader.new(file), Header.new(units, CAPACITY, Layout::RING_OFFSET), since)
    end
  end

  def numbers(slice) = slice.starts.map { |start_ns| start_ns - 1_000 }

  # The oldest place may be the one that is written just now, so a full ring has one unit less.
  def test_reads_the_units_that_are_new_at_any_position
    (0..3 * CAPACITY).each do |units|
      (0..units).each do |since|
        found = slice(units, since:)
        oldest = [since, units - CAPACITY + 1, 0].max
        assert_equal [*oldest...units], numbers(found), "#{units} units, #{since} known"
        assert_equal oldest, found.first, "#{units} units, #{since} known"
      end
    end
  end

  def test_leaves_out_what_was_overwritten_while_it_was_read
    (0..2 * CAPACITY).each do |meanwhile|
      found = slice(2 * CAPACITY, meanwhile:)
      intact = CAPACITY + 1 + meanwhile
      assert_equal [*intact...(2 * CAPACITY)], numbers(found), "#{meanwhile} meanwhile"
    end
  end

  def test_says_which_slots_its_units_belong_to
    found = slice(CAPACITY + 3, since: CAPACITY)
    assert_equal found.entries.map(&:series_index), found.series_indexes
    assert_equal [800, 900, 1000], found.series_indexes
  end

  def test_an_entry_has_the_figures_of_its_unit
    found = slice(CAPACITY + 3, since: CAPACITY)
    assert_equal found.entries, Array.new(3) { |index| found.entry(index) }
    last = found.entries.last
    assert_equal 1_000 + CAPACITY + 2, last.start_ns
    assert_equal [1000, 1001], last.to_h.values_at(:series_index, :wall_ns)
    assert_nil last.queued_ns
    assert_equal [2, 0], [last.concurrency, last.rest_ns]
    assert_equal format("%032x", CAPACITY + 2), last.trace
  end

  def test_dropping_moves_the_first_number
    found = slice(5)
    assert_same found, found.drop(0)
    assert_same found, found.drop(-3)
    assert_equal [2, 3, 4], numbers(found.drop(2))
    assert_equal 2, found.drop(2).first
    assert_equal found.drop(3), found.drop(1).drop(2)
    assert_empty numbers(found.drop(5))
  end

  def test_a_ring_cut_short_is_an_error
    Tempfile.create("ring", binmode: true) do |file|
      file.truncate(Layout::RING_OFFSET + Layout::RING_ENTRY_BYTES)
      header = Header.new(2, CAPACITY, Layout::RING_OFFSET)
      assert_raises(ByteReader::TooShort) { RingSlice.read(ByteReader.new(file), header, 0) }
    end
  end

  def test_how_a_unit_began
    {0 => [nil, nil], 3 => [3, 0], Layout::RESTED => [0, 0], Layout::RESTED + 7 => [0, 7000]}
      .each do |number, expected|
      values = [1, *Array.new(Layout::RING_FIELDS.size - 6, 0), 9, 1000, number, Layout::NO_TRACE]
      parsed = Holdup::Segment::RingEntry.parse(values.pack(Layout::RING_ENTRY))
      assert_equal expected, [parsed.concurrency, parsed.rest_ns], number
      assert_nil parsed.trace
      assert_equal 9, parsed.queued_ns
    end
  end
end
