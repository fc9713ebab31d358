# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/monitored_host"

class Holdup::Top::LiveTablesTest < Minitest::Test
  NS = MonitoredHost::NS

  def tables(host) = Holdup::Top::LiveTables.new(host.look)

  def rows(host, table, sort:, filter: "") = tables(host).rows(table, sort:, filter:)

  # Over 10 s: a stalls 4 ms in each of 100 requests, b 20 ms in each of 10, all because of b.
  def measured
    MonitoredHost.open do |host|
      a = host.process(worker: 0)
      b = host.process(worker: 1, pid: 1)
      10.times do
        host.look
        10.times { a.record("A#x", wall: 10_000_000, stalled: 4_000_000, queued: 2_000_000) }
        b.record("B#y", wall: 40_000_000, stalled: 20_000_000, queued: 0, caused_ns: 60_000_000)
        host.pass(1)
      end
      yield host, a, b
    end
  end

  def test_requests_by_name_over_ten_seconds
    measured do |host|
      b, a = rows(host, :endpoints, sort: :stalled_short)
      assert_equal %w[B#y A#x], [b.name, a.name]
      assert_in_delta 20_000_000, b.values[:stalled_short]
      assert_in_delta 4_000_000, a.values[:stalled_short]
      assert_in_delta 2_000_000, a.values[:queued_short]
      assert_in_delta 10.0, a.values[:rate]
      assert_in_delta 0.06, b.values[:caused]
    end
  end

  def test_a_minute_remembers_what_ten_seconds_forget
    measured do |host|
      20.times do
        host.pass(1)
        host.look
      end
      row = rows(host, :endpoints, sort: :name).first
      assert_nil row.values[:stalled_short]
      assert_in_delta 4_000_000, row.values[:stalled_long]
    end
  end

  def test_the_same_name_in_two_processes_is_one_row
    MonitoredHost.open do |host|
      both = [host.process(worker: 0), host.process(worker: 1, pid: 1)]
      host.look
      both.each { |one| one.record("A#x", wall: 10_000_000, stalled: 5_000_000) }
      host.pass(1)
      row, *others = rows(host, :endpoints, sort: :name)
      assert_empty others
      assert_in_delta 2.0, row.values[:rate]
      assert_in_delta 0.01, row.steps.call(1).sum
    end
  end

  def test_the_trend_has_one_value_a_second_and_zeros_before
    measured do |host|
      row = rows(host, :endpoints, sort: :stalled_short).first
      steps = row.steps.call(12)
      assert_equal [0.0, 0.0], steps.first(2)
      assert_equal [0.02] * 10, steps.last(10).map { |value| value.round(6) }
    end
  end

  def test_processes_with_threads_gvl_and_what_caused_most
    measured do |host, a, b|
      tick(a, running_ns: 5 * NS, stalled_ns: 2 * NS, gc_ns: NS)
      host.pass(1)
      row = rows(host, :processes, sort: :stalled).first
      assert_equal "worker 0", row.name
      assert_in_delta 5.0 / 10, row.values[:gvl]
      assert_in_delta 2.0 / 10, row.values[:stalled]
      assert_in_delta 1.0 / 10, row.values[:gc]
      other = rows(host, :processes, sort: :name).last
      assert_equal ["B#y", 1.0], other.values.values_at(:cause, :cause_share)
    end
  end

  def test_the_jit_is_off_or_has_code_or_is_unknown
    {nil => nil, 0 => 0, 1 => 7_000_000}.each do |enabled, shown|
      MonitoredHost.open do |host|
        process = host.process
        process.gauge(:jit_enabled, enabled) if enabled
        process.gauge(:jit_code_bytes, 7_000_000) if enabled
        value = rows(host, :processes, sort: :name).first.values[:jit]
        shown ? assert_equal(shown, value) : assert_nil(value)
      end
    end
  end

  def test_pools_and_threads_outside_of_requests
    MonitoredHost.open do |host|
      process = host.process
      process.profile = {"server" => "puma", "pool.0" => "web"}
      process.pools = [[5, 3, 2, 40_000_000]]
      process.account("thread:poll", caused: 0)
      host.look
      process.account("thread:poll", caused: 500_000_000, running: 250_000_000, stalled: 0)
      host.pass(1)
      poll, web = rows(host, :threads, sort: :caused)
      assert_equal %w[thread:poll web], [poll.name, web.name]
      assert_in_delta 0.5, poll.values[:caused]
      assert_in_delta 0.25, poll.values[:running]
      assert_equal [3, 5, 2, 40_000_000], web.values.values_at(:busy, :max, :backlog, :oldest)
    end
  end

  def test_the_filter_finds_parts_of_names_in_any_case
    measured do |host|
      assert_equal %w[B#y], rows(host, :endpoints, sort: :name, filter: "b#").map(&:name)
      assert_empty rows(host, :endpoints, sort: :name, filter: "zzz")
    end
  end

  def test_unknown_values_come_last
    MonitoredHost.open do |host|
      host.process(worker: 0)
      host.process(worker: 1, pid: 1).gauge(:busy_threads, 0)
      assert_equal ["worker 1", "worker 0"], rows(host, :processes, sort: :busy).map(&:name)
    end
  end

  def test_totals_of_all_processes
    measured do |host, a, b|
      [a, b].each { |one| one.gauge(:busy_threads, 2) }
      totals = tables(host).totals
      assert_equal 2, totals[:processes]
      assert_equal 4, totals[:busy]
      assert_nil totals[:max]
      assert_in_delta 600.0 / 1400, totals[:stall_share]
      assert_in_delta 600_000_000.0 / 110, totals[:stalled_ns]
      assert_equal [["B#y", 1.0], ["A#x", 0.0]], tables(host).causes(2)
    end
  end

  def test_no_process_at_all
    MonitoredHost.open do |host|
      found = tables(host)
      assert_equal 0, found.totals[:processes]
      assert_empty found.causes(2)
      assert_empty(Holdup::Top::LiveTables::SORTS.keys.flat_map { |table| found.rows(table, sort: :name) })
    end
  end

  private

  def tick(process, **counters)
    counters.each { |name, value| process.counter(name, value) }
  end
end
