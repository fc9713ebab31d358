# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Segment::OpenUnitsTest < Minitest::Test
  include TemporaryFolder

  L = Holdup::Segment::Layout

  def setup
    @writer = SegmentWriter.new(folder)
  end

  def reader(gone: false, &)
    Holdup::Segment::Reader.open(@writer.path, gone:, &)
  end

  def units(gone: false) = reader(gone:, &:open_units)

  def test_none_before_the_first
    assert_empty units
    assert_equal 0, reader(&:open_units_beyond)
    assert_equal [nil] * 4, reader(&:open_state).to_h.values
  end

  def test_reads_what_was_written
    @writer.open_unit(3, "GET /orders", pool: "web", request: "r-1", trace: "ab" * 16, started_ns: 70,
      thread: 9, objects: 0)
    @writer.open_unit(1, "ReportJob", kind: :job, queue: "low", job: "j-1", outer: 3, objects: L::UNKNOWN)
    job, request = units
    assert_equal [:request, "GET /orders", nil, "web", 70, 9],
      request.to_h.values_at(:kind, :name, :queue, :pool, :started_ns, :thread)
    assert_equal ["ab" * 16, "r-1", nil], request.to_h.values_at(:trace_id, :request_id, :job_id)
    assert_equal [:job, "ReportJob", "low", nil, nil, "j-1"],
      job.to_h.values_at(:kind, :name, :queue, :pool, :thread, :job_id)
    assert_equal [0, nil], [request.objects, job.objects]
    assert_equal [nil, 1], [request.outer, job.outer]
  end

  def test_only_those_that_had_begun_by_then
    @writer.open_unit(0, "A#b", started_ns: 70)
    @writer.open_unit(1, "B#c", started_ns: 72)
    @writer.open_unit(2, "J", kind: :job, outer: 0, started_ns: 71)
    found = reader { |one| one.open_units(begun_by_ns: 71) }
    assert_equal [["A#b", nil], ["J", 0]], found.map { |unit| [unit.name, unit.outer] }
    assert_empty(reader { |one| one.open_units(begun_by_ns: 69) })
  end

  def test_what_was_never_seen_is_unknown
    @writer.open_unit(0, "A#b")
    assert_equal({state: nil, since_ns: nil, seen_ns: nil, holder: false, call: nil, place: nil},
      units.first.to_h.slice(:state, :since_ns, :seen_ns, :holder, :call, :place))
  end

  def test_the_latest_name_place_and_state_count
    @writer.open_unit(0, "GET /orders")
    @writer.see_open_unit(0, :gvl, since_ns: 1, seen_ns: 2)
    @writer.place_open_unit(0, "a.rb:1")
    assert_equal ["GET /orders", :gvl, "a.rb:1"], units.first.to_h.values_at(:name, :state, :place)
    @writer.name_open_unit(0, "Orders#index")
    @writer.see_open_unit(0, :call, since_ns: 3, seen_ns: 4, holder: true, call: "sql primary")
    @writer.place_open_unit(0, "b.rb:2")
    assert_equal ["Orders#index", :call, 3, 4, true, "sql primary", "b.rb:2"],
      units.first.to_h.values_at(:name, :state, :since_ns, :seen_ns, :holder, :call, :place)
  end

  def test_what_was_seen_of_an_earlier_unit_is_none_of_the_next
    @writer.open_unit(0, "A#b")
    @writer.see_open_unit(0, :running, call: "sql primary")
    @writer.place_open_unit(0, "a.rb:1")
    @writer.open_unit(1, "Inner", kind: :job, outer: 0)
    @writer.drop_open_unit(0)
    @writer.open_unit(0, "A#c")
    assert_equal [["A#c", nil, nil, nil], ["Inner", nil, nil, nil]],
      units.map { |unit| [unit.name, unit.state, unit.place, unit.outer] }
  end

  def test_a_unit_that_ended_is_counted_and_no_longer_open
    @writer.open_unit(0, "A#b")
    @writer.record("A#b", ends: 0)
    assert_empty units
  end

  # Killed after any of the writes that count a unit: it is counted, or open, and never both or neither.
  def test_a_unit_is_counted_or_open_wherever_its_process_died
    seen = (0..40).filter_map do |writes|
      @writer = SegmentWriter.new(folder, pid: 1, suffix: "-#{writes}", start: 1)
      @writer.open_unit(0, "A#b")
      @writer.record("A#b", wall: 5_000, running: 70, stalled: 3_000, ends: 0, die_after: writes)
      nil
    rescue SegmentWriter::Died
      reader(gone: true) { |segment| [segment.open_units.size, segment.snapshot.slot("A#b")&.count.to_i] }
    end
    assert_equal [[1, 0], [0, 1]], seen.uniq
  end

  def test_a_slot_that_stays_torn_is_left_out
    @writer.open_unit(0, "A#b")
    @writer.open_unit(1, "A#c")
    reader do |segment|
      bytes = segment.instance_variable_get(:@bytes)
      head = @writer.open_word(0, :name_seq)
      inside = @writer.open_offset(0)
      read = bytes.method(:read)
      writer = @writer
      bytes.define_singleton_method(:read) do |offset, length, buffer = "".b|
        writer.put_word(head, writer.instance_variable_get(:@words)[head] + 1) if offset == inside
        read.call(offset, length, buffer)
      end
      assert_equal ["A#c"], segment.open_units.map(&:name)
    end
  end

  def test_a_slot_that_changes_once_is_read_again
    @writer.open_unit(0, "A#b")
    reader do |segment|
      read = segment.instance_variable_get(:@bytes).method(:read)
      writer = @writer
      reads = []
      segment.instance_variable_get(:@bytes).define_singleton_method(:read) do |offset, length, buffer = "".b|
        reads << length
        writer.name_open_unit(0, "A#later") if length == L::OPEN_HEAD_BYTES && reads.count(length) == 2
        read.call(offset, length, buffer)
      end
      assert_equal ["A#later"], segment.open_units.map(&:name)
    end
  end

  def test_damaged_slots_are_left_out
    @writer.open_unit(0, "A#b")
    @writer.open_unit(1, "A#c")
    {kind: 99, queue_bytes: 65, request_bytes: 1 << 40, started_ns: 1 << 62}.each do |word, value|
      before = @writer.instance_variable_get(:@words)[@writer.open_word(0, word)]
      @writer.put_word(@writer.open_word(0, word), value)
      assert_equal ["A#c"], units.map(&:name), word
      @writer.put_word(@writer.open_word(0, word), before)
    end
    assert_equal %w[A#b A#c], units.map(&:name)
  end

  def test_who_held_the_gvl
    @writer.see_holder(7, "thread:main", since_ns: 5, seen_ns: 9)
    assert_equal [7, "thread:main", 5, 9], reader(&:open_state).to_h.values
    @writer.see_holder(0, "", seen_ns: 10)
    assert_equal [nil, nil, nil, 10], reader(&:open_state).to_h.values
  end
end
