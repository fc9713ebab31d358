# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::CpuCeilingTest < Minitest::Test
  def ceiling(...) = Holdup::Analysis::CpuCeiling.new(...)

  def test_one_process_on_two_vcpus
    one = ceiling(vcpus: 2, processes: 1)
    assert_equal 0.5, one.low
    assert_in_delta 0.55, one.high
    assert_in_delta 0.9, one.idle_vcpus
    assert_equal 2, one.processes_needed
    assert_predicate one, :low?
    assert_equal %i[fires fires unsure never never],
      [0.2, 0.49, 0.52, 0.6, 1.0].map { |target| one.alarm(target) }
  end

  def test_native_code_adds_to_it
    one = ceiling(vcpus: 2, processes: 1, native_ratio: 0.5)
    assert_in_delta 0.75, one.low
    assert_in_delta 0.825, one.high
    assert_equal 2, one.processes_needed
    assert_equal :fires, one.alarm(0.6)
  end

  def test_others_that_were_seen_count
    assert_in_delta 0.8, ceiling(vcpus: 2, processes: 1, other_cpus: 0.6).high
    assert_in_delta 0.55, ceiling(vcpus: 2, processes: 1, other_cpus: 0.01).high
    busy = ceiling(vcpus: 2, processes: 1, other_cpus: 0.9)
    assert_equal [0.5, false, :unsure], [busy.low, busy.low?, busy.alarm(0.6)]
  end

  # What is idle for certain, and which target is out of reach, follows from the most that can be reached.
  def test_what_follows_from_the_range
    [0.0, 0.2, 0.4, 0.6].each do |other_cpus|
      one = ceiling(vcpus: 2, processes: 1, other_cpus:)
      assert_in_delta 1, one.high + one.idle_vcpus / 2
      assert_operator one.unreachable, :>, one.high
      assert_operator one.unreachable, :<=, one.high + 0.0501
      assert_equal :never, one.alarm(one.unreachable)
    end
    assert_in_delta 0.75, ceiling(vcpus: 2, processes: 1, other_cpus: 0.4).unreachable
  end

  def test_never_more_than_there_is
    full = ceiling(vcpus: 2, processes: 4, native_ratio: 3.0)
    assert_equal [1.0, 1.0, 0.0, false], [full.low, full.high, full.idle_vcpus, full.low?]
    assert_equal :fires, full.alarm(0.99)
    assert_equal 1.0, ceiling(vcpus: 0.5, processes: 1).low
  end

  def test_a_quota_of_parts_of_a_cpu
    assert_in_delta 2 / 2.5, ceiling(vcpus: 2.5, processes: 2).low
    assert_equal 3, ceiling(vcpus: 2.5, processes: 2).processes_needed
  end

  def test_the_ratio_is_of_units_and_other_threads
    sample = SampleWindows.new
    windows = [sample.window("A", count: 1, sums: {cpu_ns: 300, native_ns: 60}),
      sample.window("main", kind: :account, queue: nil, sums: {cpu_ns: 100, native_ns: 40})]
    assert_in_delta 0.25, Holdup::Analysis::CpuCeiling.native_ratio(windows)
    assert_equal 0.0, Holdup::Analysis::CpuCeiling.native_ratio([])
  end

  def test_no_ceiling_from_processes_that_ran_too_short
    member = Struct.new(:from_s, :to_s) do
      def takes?(*) = true

      def seconds = to_s - from_s

      def cpu_share = nil
    end
    machine = ->(members) { Holdup::Analysis::Machine.new(host: "h", trail: nil, members:, vcpus: 2) }
    assert_nil machine.call([member.new(10, 11), member.new(10, 10)]).ceiling
    assert_equal 1, machine.call([member.new(10, 40)]).ceiling.processes
    assert_nil Holdup::Analysis::Machine.new(host: "h", trail: nil, members: [member.new(0, 99)]).ceiling
  end
end
