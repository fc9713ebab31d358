# frozen_string_literal: true

require "native/native_helper"
require "tmpdir"
require "holdup/loader"

# Which units the list of the slowest has, and what they waited for.
class SegmentSlowestTest < NativeTest
  L = Holdup::Segment::Layout

  def setup
    super
    @path = File.join(Dir.mktmpdir("holdup-slowest"), "segment")
    Probe.open_segment(@path, 20, 1024, nil, 0)
  end

  def teardown
    Probe.close_segment
    FileUtils.rm_rf(File.dirname(@path))
    super
  end

  def unit(name, trace: nil, id: nil)
    handle = Probe.enter
    yield handle if block_given?
  ensure
    Probe.record(handle, Probe::KINDS[:request], name, nil, nil, false, nil, nil, trace, nil, id)
  end

  def read
    Holdup::Segment::Reader.open(@path) do |reader|
      list = reader.slowest
      snapshot = reader.snapshot
      process = Holdup::UnitSample::SampledProcess.new(pid: 1, since_ns: 0)
      series = snapshot.slots.map { |slot| slot.series.plain }
      source = Holdup::Collector::UnitSampler::SegmentSource.new(process:, setting: nil, series:)
      now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      units = Holdup::Collector::SlowUnitNames.new(snapshot.slots, source, now_ns).call(list.entries)
      [snapshot.ring, list.entries, units]
    end
  end

  def minutes(entries)
    entries.group_by { |unit| (unit.start_ns + unit.wall_ns) / 60_000_000_000 }.values
  end

  # Times, because of two units that took the same one may be in the list.
  def longest(entries)
    entries.map(&:wall_ns).max(10)
  end

  # Of each series and minute; whatever else the list has was among them for a while.
  def test_all_of_the_ten_slowest_of_each_series_and_minute_are_in_the_list
    300.times { |number| unit("A##{number % 3}") { (number * 37 % 101).times { Time.now } } }
    ring, entries, = read
    listed = entries.map(&:unit)
    ring.group_by(&:series_index).each_value do |own|
      minutes(own).each { |same| assert_equal longest(same), longest(same & listed) }
    end
    assert_operator listed.size, :<, 300
    assert_equal listed.uniq, listed
    assert_empty listed - ring
  end

  def test_a_unit_has_its_split_and_its_calls
    unit("A#b", trace: "0af7651916cd43dd8448eb211c80319c") do
      {"sql primary" => 3, "redis" => 1}.each do |system, ms|
        Probe.begin_call
        GvlWork.release(ms)
        Probe.end_call(Probe.call_kind(system), false)
      end
    end
    slow = read.last.first
    assert_equal ["sql primary", "redis"], slow.parts_of(:call).map(&:name)
    assert_equal "0af7651916cd43dd8448eb211c80319c", slow.unit.trace
    assert_equal slow.unit.idle_ns, slow.io_ns + slow.lock_ns + slow.sleep_ns + slow.native_ns
    assert_operator slow.parts_of(:call).sum(&:ns), :<=, slow.wall_ns
  end

  # Of a request the environment has it; one that Rails has given it counts first.
  def test_a_unit_has_the_id_of_its_request_or_job
    uuid = "6f1c2d34-5e6f-4a7b-8c9d-0e1f2a3b4c5d"
    {"request" => {"HTTP_X_REQUEST_ID" => uuid}, "job" => "0f2d", "number" => 77, "none" => nil,
     "rails" => {"HTTP_X_REQUEST_ID" => "of a proxy", "action_dispatch.request_id" => "of_rails"},
     "unfit" => {"HTTP_X_REQUEST_ID" => "a b"}, "nothing" => {}, "long" => "é" * 40}
      .each { |name, id| unit(name, id:) }
    found = read.last.to_h { |slow| [slow.unit.series.name, slow.id] }
    expected = {"request" => uuid, "job" => "0f2d", "number" => "77", "none" => nil, "rails" => "of_rails",
                "unfit" => nil, "nothing" => nil, "long" => "é" * 32}
    assert_equal expected, found
  end

  def test_a_holder_that_ended_before_has_its_name
    slow = beside(5) { |names| names << 1 }
    part = slow.parts_of(:pair).find { |one| one.name == "Sales#report" }
    refute_nil part, slow.to_s
    assert_operator part.ns, :<=, slow.unit.stalled_ns
  end

  # Nothing is guessed.
  def test_a_holder_that_still_runs_has_none
    slow = beside(5)
    assert_equal [nil], slow.parts_of(:pair).map(&:name).uniq, slow.to_s
  end

  def test_at_most_three_holders_are_kept_the_longest_first
    units = Array.new(6) { |number| Thread.new { unit("Hog##{number}") { GvlWork.hold((number + 2) * MS) } } }
    unit("Short#show") { GvlWork.release(1) while units.any?(&:alive?) }
    slow = read.last.find { |one| one.unit.series.name == "Short#show" }
    parts = slow.parts_of(:pair)
    assert_includes 1..3, parts.size
    assert_equal parts.map(&:ns).sort.reverse, parts.map(&:ns)
  end

  private

  # A unit that waits for a long one, which ends before it when the block lets it.
  # @yieldparam names [Queue] what the long one waits for
  # @return [Holdup::SlowUnit]
  def beside(ms)
    names = Queue.new
    hog = nil
    unit("Short#show") do
      hog = Thread.new do
        unit("Sales#report") do
          GvlWork.hold(ms * MS)
          names.pop
        end
      end
      GvlWork.release(1) until hog.stop?
      next unless block_given?
      yield names
      hog.join
    end
    read.last.find { |one| one.unit.series.name == "Short#show" }
  ensure
    names << 1
    hog.join
  end
end
