# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/setting"

class Holdup::Analysis::ProcessReportTest < Minitest::Test
  NS = 1_000_000_000
  WEB = {"pool.0": "web", "pool.0.max": 5}.freeze

  def test_cpu_memory_and_waiting_of_a_process
    worker = processes(sample(0, cpu: 10, run_delay_ns: 1 * NS, rss_bytes: 5),
      sample(60, cpu: 40, run_delay_ns: 11 * NS, rss_bytes: 7)).members.first
    assert_equal ["worker 0", "puma", 7], worker.to_h.values_at(:name, :server, :rss_bytes)
    assert_in_delta 0.5, worker.cpu_share
    assert_in_delta 0.25, worker.waiting_share, 0.001, "10 of 40 seconds in which it wanted a CPU"
    assert_nil worker.uss_bytes
  end

  def test_one_sample_tells_no_share
    only = processes(sample(0, cpu: 10)).members.first
    assert_equal [nil, nil], [only.cpu_share, only.waiting_share]
  end

  def test_a_pid_that_was_given_again_is_another_process
    assert_equal 2, processes(sample(0, cpu: 90), sample(60, cpu: 1, start: 9)).members.size
  end

  def test_a_counter_that_falls_adds_nothing
    delays = [5, 9, 2, 3].each_with_index.map { |seconds, minute|
      sample(minute * 60, cpu: minute * 60, run_delay_ns: seconds * NS)
    }
    assert_in_delta 5.0 / 185, processes(*delays).members.first.waiting_share
  end

  def test_pools_by_name
    pool = processes(sample(0, **WEB, "pool.0.busy": 1, "pool.0.backlog": 0),
      sample(60, **WEB, "pool.0.busy": 4, "pool.0.backlog": 6,
        "pool.0.oldest_ns": 9)).members.first.pools.first
    assert_equal ["web", 5, 2.5, 3.0, 6, 9], pool.to_h.values
  end

  # Three samples a minute may find two of five threads, although each was busy.
  def test_busy_is_what_the_process_counted_and_not_what_was_seen
    seen = [2, 3, 2].each_with_index.map { |busy, minute|
      ticked(minute * 60, **WEB, "pool.0.busy": busy, "pool.0.busy_ns": minute * 60 * 5 * NS)
    }
    assert_in_delta 5.0, processes(*seen).members.first.pools.first.busy
    assert_in_delta 1.0, processes(*seen).pools.first.busy_share
  end

  # The counter is there from the first unit on.
  def test_a_pool_that_was_idle_for_most_of_the_time
    idle = (0..8).map { |minute| ticked(minute * 60, **WEB, "pool.0.busy": 0) }
    busy = ticked(540, **WEB, "pool.0.busy": 5, "pool.0.busy_ns": 60 * 5 * NS)
    assert_in_delta 5.0 / 9, processes(*idle, busy).members.first.pools.first.busy
    assert_in_delta 0.0, processes(*idle).members.first.pools.first.busy
  end

  def test_a_process_that_was_born_in_the_span_began_at_zero
    one = ticked(40, since_s: 10, **WEB, "pool.0.busy": 0, "pool.0.busy_ns": 60 * NS, stalled_ns: 15 * NS)
    member = processes(one).members.first
    assert_in_delta 2.0, member.busy
    assert_in_delta 0.5, member.waiting
  end

  def test_a_pool_that_moves_is_found_by_its_name
    before = ticked(0, **WEB, "pool.0.busy_ns": 0)
    after = [60, 120].map { |at_s|
      ticked(at_s, "pool.0": "jobs", "pool.0.max": 2, "pool.0.busy_ns": at_s * NS, "pool.1": "web",
        "pool.1.max": 5, "pool.1.busy_ns": at_s * 4 * NS)
    }
    assert_equal({"jobs" => 1.0, "web" => 4.0},
      processes(before, *after).members.first.pools.to_h { |pool| [pool.name, pool.busy] })
  end

  def test_threads_that_wait_for_the_gvl_are_their_stall
    seen = [ticked(0, waiting_threads: 0, stalled_ns: 0), ticked(60, waiting_threads: 0, stalled_ns: 90 * NS)]
    assert_in_delta 1.5, processes(*seen).members.first.waiting
    assert_in_delta 3.0,
      processes(sample(0, waiting_threads: 2), sample(60, waiting_threads: 4)).members.first.waiting
  end

  def test_requests_wait_at_each_process_and_jobs_in_queues_that_all_see
    jobs = {"pool.1": "default", "pool.1.max": 2, "pool.0.backlog": 3, "pool.1.backlog": 40}
    pools = processes(*[7,
      8].flat_map { |pid| [0, 60].map { |at_s| sample(at_s, pid:, **WEB, **jobs) } }).pools
    assert_equal({"web" => 6.0, "default" => 40.0}, pools.to_h { |pool| [pool.name, pool.backlog] })
  end

  def test_the_container
    machine = processes(
      sample(0, cpu: 0),
      sample(60, cpu: 30),
      container(0, cpu: 0, periods: 100, throttled: 10),
      container(60, cpu: 60, periods: 300, throttled: 60)
    ).machines.first
    assert_in_delta 0.5, machine.cpu_share
    assert_in_delta 0.25, machine.throttled_share
    assert_in_delta 0.25, machine.share_of(machine.members.first)
    assert_equal [2.0, 700], [machine.vcpus, machine.memory_bytes]
  end

  def test_the_ceiling_counts_those_that_take_units_at_the_same_time
    two = [0, 60].flat_map { |at_s| [sample(at_s, **WEB), sample(at_s, pid: 8, **WEB), sample(at_s, pid: 9)] }
    assert_equal 2, processes(*two, container(0)).machines.first.processes
    replaced = [sample(0, **WEB), sample(300, ended: true, **WEB), sample(300, pid: 8, since_s: 300, **WEB),
      sample(600, pid: 8, **WEB)]
    machine = processes(*replaced, container(0)).machines.first
    assert_equal [1, 0.5], [machine.processes, machine.ceiling.low]
  end

  def test_no_ceiling_without_vcpus_but_the_setting_knows_them_too
    assert_nil processes(sample(0)).machines.first.ceiling
    settings = {"f" => Holdup::Setting.new(attributes: {"vcpus" => 4})}
    assert_equal 4,
      Holdup::Analysis::ProcessReport.new([sample(0)], from_s: 0, to_s: 600,
        settings:).machines.first.ceiling.vcpus
  end

  def test_groups_by_server
    samples = [0, 60].flat_map { |at_s|
      [sample(at_s, cpu: at_s / 2, uss_bytes: 3),
        sample(at_s, pid: 8, cpu: at_s, server: "sidekiq"), sample(at_s, pid: 9, cpu: 0, uss_bytes: 4)]
    }
    made = processes(*samples)
    assert_equal [["sidekiq", 1.0], ["puma", 2.0]], made.groups.map { |group| [group.server, group.size] }
    assert_equal 7, made.groups.last.memory(:uss_bytes)
    assert_nil made.groups.first.memory(:uss_bytes)
  end

  def test_share_of_capacity
    both = {**WEB, "pool.1": "default", "pool.1.max": 10, "pool.2": "db primary", "pool.2.max": 50}
    members = processes(sample(0, **both), sample(540, ended: true, **both),
      sample(0, pid: 8, setting: "other", **WEB)).members
    capacity = Holdup::Analysis::PoolCpu::Capacity.new(members)
    assert_in_delta 0.5, capacity.share(row(:job, 2700))
    assert_in_delta 0.5, capacity.share(row(:request, 1350))
    assert_in_delta 0.5, capacity.share(row(nil, 4050))
    assert_nil capacity.share(row(:job, 10, settings: ["other"]))
    assert_in_delta 0.5, capacity.share(row(:process, 4050).with(name: "worker 0"))
    assert_nil capacity.share(row(:process, 4050).with(name: "worker 1"))
  end

  def test_long_spans_need_fewer_samples
    expected = {60 => nil, 3600 => nil, 7200 => 120, 30 * 86_400 => 2880}
    actual = expected.to_h { |span_s, _| [span_s, Holdup::Analysis::ProcessReport.every_s(0, span_s)] }
    assert_equal expected, actual
  end

  private

  def processes(*samples)
    Holdup::Analysis::ProcessReport.new(samples, from_s: 0, to_s: 600)
  end

  def sample(at_s, pid: 7, cpu: nil, start: 1, server: "puma", **facts)
    {at_s:, host: "h", pid:, start:, name: "worker 0", server:, setting: "f", cpu_ns: cpu && cpu * NS,
     **facts}.compact
  end

  def ticked(at_s, **facts)
    sample(at_s, ticked_ns: at_s * NS, **facts)
  end

  def container(at_s, cpu: 0, periods: 0, throttled: 0)
    {at_s:, host: "h", pid: 0, vcpus: 2.0, cpu_ns: cpu * NS, periods:, throttled_periods: throttled,
     memory_bytes: 1000, reclaimable_bytes: 300}
  end

  def row(kind, seconds, settings: ["f"])
    window = SampleWindows.new.window("A", count: 1,
      histograms: {wall: Holdup::Histogram.of_sum(seconds * NS)})
    Holdup::Analysis::SeriesRow.new(name: "A", kind:, queue: nil, window:, settings:)
  end
end
