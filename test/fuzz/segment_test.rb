# frozen_string_literal: true

require "test_helper"
require "fuzz/fuzzing"
require "holdup/segment/reader"

# The segment of another process, damaged at random: its reader gets an error of ours or readable figures, and
# never looks for more than is there.
class SegmentFuzzTest < Minitest::Test
  include Fuzzing

  FIELDS = Holdup::Segment::Layout::PROFILE_OFFSET

  def setup
    @dir = Dir.mktmpdir("holdup", "/dev/shm")
    writer = SegmentWriter.new(@dir, capacity: 4, ring: 16)
    writer.setting = JSON.generate("server" => "puma", "threads" => 5)
    writer.profile = {"name" => "worker 0"}
    writer.pools = [[5, 2, 7, 1_000]]
    20.times do |index|
      writer.record("GET /#{index % 2}", wall: 5_000 * index, running: 900, stalled: 70, path: "/#{index}")
    end
    writer.record("ReportJob", kind: :job, queue: "low", wall: 10**9, idle: 10**8)
    writer.account("thread:a", running: 10**6)
    writer.rename_account("thread:a", "thread:b")
    writer.open_unit(0, "GET /a", request: "r", trace: "ab" * 16, started_ns: 7)
    writer.open_unit(1, "ReportJob", kind: :job, queue: "low", job: "j", outer: 0)
    writer.see_open_unit(1, :call, call: "sql primary")
    writer.place_open_unit(1, "a.rb:1 A#b")
    writer.see_holder(3, "thread:main")
    @bytes = File.binread(writer.path)
    @path = File.join(@dir, "damaged")
  end

  def teardown = FileUtils.remove_entry(@dir)

  # The table of open units alone: most of a segment's bytes are series.
  repeated def test_damaged_open_units_are_left_out_or_read
    from = Holdup::Segment::Layout.open_offset(16)
    damage = Damage.new(@bytes, head: FIELDS, events: from...from + 10_000)
    outcomes = fuzz(300, thorough: 20_000) do |input|
      File.binwrite(@path, damage.call(input.random))
      read_open_units
    end
    assert_operator outcomes[:read], :>, 0
  end

  repeated def test_a_damaged_segment_is_refused_or_read
    damage = Damage.new(@bytes, head: FIELDS, events: Holdup::Segment::Layout::RING_OFFSET...@bytes.bytesize)
    outcomes = fuzz(300, thorough: 20_000) do |input|
      File.binwrite(@path, damage.call(input.random))
      read(gone: input.chance?(0.5))
    end
    assert_operator outcomes[:read], :>, 0
    assert_operator outcomes[:refused], :>, 0
  end

  private

  # @yieldparam reader [Holdup::Segment::Reader]
  # @return [Symbol] :read, or :refused by an error of ours
  def opened(gone:, &)
    Holdup::Segment::Reader.open(@path, gone:, &)
    :read
  rescue Holdup::SegmentError, Holdup::DamagedData
    :refused
  end

  def read(gone:)
    opened(gone:) do |reader|
      snapshot = reader.snapshot
      snapshot.slots.compact.each { |slot| look_at(slot) }
      reader.header.series_count.times { |index| look_at_sums(reader, index) }
      assert_operator snapshot.ring.size, :<=, @bytes.bytesize
      reader.profile
      reader.image
      reader.open_units.each { |unit| assert_predicate unit.name, :valid_encoding? }
      reader.open_state
    end
  end

  def read_open_units
    opened(gone: true) do |reader|
      units = reader.open_units
      assert(units.all? { |unit| unit.outer.nil? || unit.outer < units.size })
      assert(units.all? { |unit| unit.to_h.values.grep(String).all?(&:valid_encoding?) })
      reader.open_state
    end
  end

  def look_at_sums(reader, index)
    sums = reader.slot(index, as: Holdup::Segment::SlotSums)
    assert_operator sums.running_ns, :>=, 0 if sums
    bytes = reader.slot_bytes(index) or return
    assert_equal Holdup::Segment::Layout::ENDED_THREADS,
      Holdup::Segment::Slot.parse_series(Holdup::Segment::AccountSlot.former(bytes)).name
  end

  def look_at(slot)
    assert_predicate slot.series.name, :valid_encoding?
    %i[wall running stalled idle].each { |name| slot.histogram(name).count }
  end
end
