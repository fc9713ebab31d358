# frozen_string_literal: true

require "native/native_helper"
require "holdup/agent/guard"
require "holdup/agent/recorder"
require "holdup/loader"

# Objects by unit, from units that allocate a known number of them.
class AllocationsTest < NativeTest
  HEAVY = 10_000
  LIGHT = 100
  NAMES = {"heavy" => HEAVY, "light" => LIGHT}.freeze
  SAMPLE = SampleWindows.new
  # Half of what a unit does, and its bytes: small objects, large slots, large strings, arrays.
  BYTES = {
    "objects" => [-> { 5_000.times { Object.new } }, 5_000 * 40],
    "slots" => [-> { Array.new(500) { "x" * 600 } }, 500 * 640],
    "string" => [-> { "x" * 400_000 }, 400_040],
    "arrays" => [-> { 10.times { Array.new(4_000) } }, 10 * 32_040]
  }.freeze

  def test_a_unit_that_runs_alone_has_exactly_its_objects
    measured { allocate(1) }
    few, many = [10, 5010].map { |count| measured { allocate(count) } }
    assert_equal 5000, many.objects - few.objects
    assert_equal 0, many.objects_others_ns
  end

  # A thread that loses its CPU between the two readings at the end of a unit runs on in only one of them.
  def test_own_time_is_what_it_ran
    unit = wait_until do
      measured { allocate(1000) && GvlWork.hold(5 * MS) }.then do |unit|
        unit if (unit.objects_own_ns.fdiv(unit.running_ns) - 1).abs < 0.05
      end
    end
    assert_operator unit.objects_own_ns, :>, 0
  end

  # The other thread has no unit, and nobody reads the count while it runs.
  def test_what_another_thread_did_meanwhile_is_not_its_own_time
    unit = measured { Thread.new { GvlWork.hold(20 * MS) }.join }
    assert_operator unit.objects_others_ns, :>=, 19 * MS
    assert_operator unit.objects_own_ns, :<=, unit.running_ns
  end

  def test_a_unit_inside_another_counts_in_both
    inner = nil
    outer = measured do
      allocate(1000)
      inner = measured { allocate(2000) }
    end
    assert_in_delta 3000, outer.objects, 100
    assert_in_delta 2000, inner.objects, 100
  end

  def test_shares_at_concurrency_1 = assert_shares(1)

  def test_shares_at_concurrency_5 = assert_shares(5)

  def test_shares_at_concurrency_5_with_calls
    assert_shares(5, within: 0.02) { |wait| called { wait.call } }
  end

  def test_bytes_at_concurrency_1 = assert_bytes(1, within: 0.02)

  # Others' part is an estimate, which needs more units than one second has.
  def test_bytes_at_concurrency_5 = assert_bytes(5, count: 800, within: 0.1)

  def test_bytes_at_concurrency_5_with_calls
    assert_bytes(5, within: 0.02) { |wait| called { wait.call } }
  end

  # A collection sets Ruby's count of malloc to 0, and frees.
  # CRuby 3.3 to 4.0 has 5 heaps, and a preview of 4.1 has 12.
  def test_bytes_of_a_ruby_with_many_heaps
    output = fresh_ruby(<<~RUBY)
      FEW = GC.stat_heap.size
      class << GC
        alias_method :stat_few_heaps, :stat_heap
        def stat_heap(heap = nil, key = nil)
          return (0...40).to_h { |number| [number, nil] } unless heap
          (heap < FEW) ? stat_few_heaps(heap, key) : 0
        end
      end
      Holdup::Probe.enable
      units = Array.new(2_000) { measured { Array.new(20) { Object.new } } }
      p units.any? { |unit| unit.slot_bytes.positive? }
    RUBY
    assert_equal "true", output.chomp
  end

  def test_counts_malloc_across_collections
    unit = measured do
      20.times do
        string(1_000_000)
        GC.start(full_mark: false)
      end
    end
    assert_in_delta 20_000_000, unit.malloc_bytes, 200_000
  end

  # Asking for the slots runs Ruby code, where Thread#raise meets a thread.
  def test_a_unit_ends_although_its_thread_is_interrupted_meanwhile
    ended = interrupted do |interrupt|
      handle = Probe.enter
      interrupt.call
      Probe.finish(handle) && nil
    rescue RuntimeError
      handle
    end
    refute Probe.own?(ended)
  end

  # It would be lost if it counted as a failure of ours.
  def test_such_an_interruption_goes_on_to_the_application
    log = CollectedLog.new
    guard = Holdup::Guard.new(log:, clock: HandClock.new, interruption: Probe.method(:interruption?))
    recorder = Holdup::Recorder.new(probe: Probe, guard:)
    raised = interrupted do |interrupt|
      recorder.measure("interrupted") { interrupt.call } && nil
    rescue RuntimeError => error
      error
    end
    assert_equal "interrupted", raised.message
    assert_empty log.lines
    refute Probe.interruption?(raised), "it has gone on"
    assert_nil Holdup::Recorder::OpenUnit.current
  end

  private

  # Until the probe has asked for the slots after `interrupt`.
  def interrupted
    interrupts = false
    asking = Module.new do
      define_method(:stat_heap) { |*facts| interrupts ? raise("interrupted") : super(*facts) }
    end
    GC.singleton_class.prepend(asking)
    wait_until do
      yield -> { interrupts = true }
    ensure
      interrupts = false
    end
  ensure
    asking.remove_method(:stat_heap)
  end

  def allocate(count) = count.times { Object.new }

  def string(bytes) = "x" * bytes

  # A wait between two parts of equal work, as of a request that asks a database.
  def unit(work)
    wait = -> { GvlWork.wait(2 * MS) }
    measured do
      2.times do |part|
        work.call
        GvlWork.hold(MS / 2)
        (block_given? ? yield(wait) : wait.call) if part.zero?
      end
    end
  end

  def called
    Probe.begin_call
    yield
    Probe.end_call(@kind ||= Probe.call_kind("sql"), false)
  end

  # Each thread has its own order of all.
  # @return [Hash{String => Array<Measurement>}]
  def units(threads, works, count: 150, &wait)
    all = Array.new(threads) { |seed|
      Thread.new do
        random = Random.new(seed)
        names = Array.new(count) { works.keys[random.rand(works.size)] }
        names.map { |name| [name, unit(works[name], &wait)] }
      end
    }
    all.flat_map(&:value).group_by(&:first).transform_values { |same| same.map(&:last) }
  end

  # Where a thread lost the CPU while it held the GVL, its first half takes longer than its second, which is
  # the one that was read alone: the estimate is off by at most that.
  def off_cpu(units)
    all = units.values.flatten
    1 - all.sum(&:cpu_ns).fdiv(all.sum(&:running_ns))
  end

  def assert_shares(threads, within: 0.1, &wait)
    units = units(threads, NAMES.transform_values { |count| -> { allocate(count / 2) } }, &wait)
    found = objects_each(units)
    off_cpu = off_cpu(units)
    assert_in_delta HEAVY.fdiv(HEAVY + LIGHT), found["heavy"] / found.values.sum, within, found.to_s
    assert_in_delta 1.0, found["heavy"] / HEAVY, within + off_cpu, "#{found}, #{off_cpu} without a CPU"
  end

  # Of the whole that all of them allocate. The pace at which slots are sampled is that of the test before:
  # after quick units no sample might begin here, so it starts anew.
  def assert_bytes(threads, within:, count: 150, &wait)
    Probe.disable
    Probe.enable
    units = units(threads, BYTES.transform_values(&:first), count:, &wait)
    found = each(units) { |allocations, row| allocations.bytes(row) }
    known = BYTES.to_h { |name, (_, bytes)| [name, 2 * bytes * units[name].size] }
    off = known.to_h { |name, bytes|
      [name, found[name].fdiv(found.values.sum) - bytes.fdiv(known.values.sum)]
    }
    assert_operator off.values.map(&:abs).max, :<=, within + off_cpu(units), off.to_s
  end

  def objects_each(units)
    each(units) { |allocations, row| allocations.objects_each(row) }
  end

  def each(units)
    rows = units.to_h { |name, same| [name, row(name, same)] }
    entries = rows.values.map do |row|
      Holdup::Analysis::WindowTable::WindowEntry.new(window: row.window, setting: nil)
    end
    allocations = Holdup::Analysis::Allocations.new(entries)
    rows.transform_values { |row| yield(allocations, row) }
  end

  def row(name, units)
    keys = %i[objects objects_own_ns objects_others_ns malloc_bytes slot_bytes slot_objects]
    sums = keys.to_h do |key|
      [key, units.sum(&key)]
    end
    running = Holdup::Histogram.of_sum(units.sum(&:running_ns))
    window = SAMPLE.window(name, count: units.size, sums:, histograms: {running:})
    Holdup::Analysis::SeriesRow.new(name:, kind: :request, queue: nil, window:)
  end
end
