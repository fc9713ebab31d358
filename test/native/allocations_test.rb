# frozen_string_literal: true

require "native/native_helper"
require "holdup/loader"

# Objects by unit, from units that allocate a known number of them.
class AllocationsTest < NativeTest
  HEAVY = 10_000
  LIGHT = 100
  NAMES = {"heavy" => HEAVY, "light" => LIGHT}.freeze
  SAMPLE = SampleWindows.new

  def test_a_unit_that_runs_alone_has_exactly_its_objects
    measured { allocate(1) }
    few, many = [10, 5010].map { |count| measured { allocate(count) } }
    assert_equal 5000, many.objects - few.objects
    assert_equal 0, many.objects_others_ns
  end

  def test_own_time_is_what_it_ran
    unit = measured { allocate(1000) && GvlWork.hold(5 * MS) }
    assert_in_delta 1.0, unit.objects_own_ns.fdiv(unit.running_ns), 0.05
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

  private

  def allocate(count) = count.times { Object.new }

  # A wait between two parts of equal work, as of a request that asks a database.
  def unit(name)
    wait = -> { GvlWork.wait(2 * MS) }
    measured do
      2.times do |part|
        allocate(NAMES.fetch(name) / 2)
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

  # Each thread has its own order of both. Where a thread lost the CPU while it held the GVL, its first half
  # takes longer than its second, which is the one that was read alone: the estimate is off by at most that.
  def assert_shares(threads, within: 0.1, &wait)
    all = Array.new(threads) { |seed|
      Thread.new do
        random = Random.new(seed)
        Array.new(150) { NAMES.keys[random.rand(2)].then { |name| [name, unit(name, &wait)] } }
      end
    }.flat_map(&:value)
    found = objects_each(all.group_by(&:first).transform_values { |same| same.map(&:last) })
    off_cpu = 1 - all.sum { |_, unit| unit.cpu_ns }.fdiv(all.sum { |_, unit| unit.running_ns })
    assert_in_delta HEAVY.fdiv(HEAVY + LIGHT), found["heavy"] / found.values.sum, within, found.to_s
    assert_in_delta 1.0, found["heavy"] / HEAVY, within + off_cpu, "#{found}, #{off_cpu} without a CPU"
  end

  def objects_each(units)
    rows = units.to_h { |name, same| [name, row(name, same)] }
    entries = rows.values.map do |row|
      Holdup::Analysis::WindowTable::WindowEntry.new(window: row.window, setting: nil)
    end
    allocations = Holdup::Analysis::Allocations.new(entries)
    rows.transform_values { |row| allocations.objects_each(row) }
  end

  def row(name, units)
    sums = %i[objects objects_own_ns objects_others_ns].to_h do |key|
      [key, units.sum(&key)]
    end
    running = Holdup::Histogram.of_sum(units.sum(&:running_ns))
    window = SAMPLE.window(name, count: units.size, sums:, histograms: {running:})
    Holdup::Analysis::SeriesRow.new(name:, kind: :request, queue: nil, window:)
  end
end
