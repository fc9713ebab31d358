# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Sizing
  class GuardsTest < Minitest::Test
    MS = 1_000_000
    NOW = Candidate.new(processes: 2, threads: 5)
    DEMAND = ServiceDemand.new(held_ns: 10 * MS, idle_ns: 10 * MS, acquisitions: 5)

    def hits(candidate = NOW, rate: 50, vcpus: 2, demand: DEMAND, kind: :request, now: NOW, **limits)
      Guards.new(demand, limits: ResourceLimits.new(vcpus:, **limits), rate:, current: now,
        kind:).call(candidate)
    end

    def names(...) = hits(...).map(&:name)

    def test_what_fits_passes
      assert_empty hits
    end

    def test_the_peak_has_to_be_served_with_room_to_spare
      assert_equal [:stability], names(NOW.with(processes: 1, threads: 2), rate: 70)
      hit = hits(NOW.with(processes: 1, threads: 1), rate: 48).first
      assert_equal [48, 42.5], [hit.value, hit.limit.round(3)]
    end

    # A limit that the recording broke without harm is wrong: 95 % of what it can serve.
    def test_a_share_that_was_served_is_no_violation
      now = NOW.with(processes: 1)
      limits = ResourceLimits.new(vcpus: 2)
      most = Guards.new(DEMAND, limits:, rate: 1, current: now).ceiling(now)
      found = [0, 0.95 * most].map do |served|
        Guards.new(DEMAND, limits:, rate: 0.93 * most, current: now, served:).call(now).map(&:name)
      end
      assert_equal [[:stability], []], found
    end

    def test_cpus_for_native_code_too
      assert_includes names(demand: DEMAND.with(native_ns: 30 * MS)), :cpu
      assert_equal [], names(demand: DEMAND.with(native_ns: 30 * MS), vcpus: 4, rate: 40)
    end

    def test_cpus_that_others_use
      assert_equal [], names(vcpus: 2, rate: 40)
      assert_includes names(vcpus: 2, rate: 40, others: ResourceLimits::OtherCpus.always(1.5)), :cpu
    end

    def test_processes_that_would_fight_for_cpus
      assert_includes names(NOW.with(processes: 6), rate: 165), :inflation
      refute_includes names(NOW.with(processes: 6), rate: 30), :inflation
    end

    def test_memory
      assert_equal [:memory], names(process_bytes: 500, thread_bytes: 1, memory_limit_bytes: 1100)
      assert_empty names(process_bytes: 500, thread_bytes: 1, memory_limit_bytes: 1200)
    end

    def test_a_pool_of_connections_that_follows_the_threads_is_no_limit
      assert_equal [:db_pool], names(NOW.with(threads: 9), pool: 8)
      assert_empty names(NOW.with(threads: 9), pool: 5)
    end

    def test_connections_that_threads_outside_of_units_keep
      assert_empty names(NOW.with(threads: 7), pool: 8)
      assert_equal [[8, 7]],
        hits(NOW.with(threads: 7), pool: 7, outside: 1.2).map { |hit| [hit.value, hit.limit] }
    end

    def test_jobs_that_only_compute
      computing = DEMAND.with(idle_ns: 0.4 * MS)
      assert_includes names(demand: computing, kind: :job, rate: 0), :cpu_bound
      refute_includes names(NOW.with(threads: 1), demand: computing, kind: :job, rate: 0), :cpu_bound
      refute_includes names(demand: computing.with(idle_ns: MS), kind: :job, rate: 0), :cpu_bound
      refute_includes names(demand: computing.with(cv2: 3.0), kind: :job, rate: 0), :cpu_bound,
        "short ones pass"
      refute_includes names(demand: computing), :cpu_bound, "requests"
    end

    def test_connections_of_all_hosts
      assert_equal [:db_connections], names(hosts: 5, connections: 60)
      assert_equal [50, 48], hits(hosts: 5, connections: 60).first.then { |hit| [hit.value, hit.limit] }
      assert_empty names(hosts: 5, connections: 63)
    end

    def test_jobs
      assert_includes names(NOW.with(threads: 51), kind: :job, rate: 0), :job_threads
      busy = ServiceDemand.new(held_ns: 60 * MS, idle_ns: 1 * MS)
      assert_includes names(NOW.with(processes: 1, threads: 10), kind: :job, rate: 0, demand: busy),
        :client_timeout
      assert_includes names(NOW.with(processes: 4), kind: :job, rate: 0, demand: busy), :inflation
      assert_empty names(NOW.with(processes: 4), rate: 0, demand: busy), "requests that wait for answers"
      assert_empty names(NOW.with(threads: 2), kind: :job, rate: 0)
    end
  end
end
