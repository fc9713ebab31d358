# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
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

    # Neither the ceiling nor the CPUs of a model that is wrong strike what was served.
    one_ruby def test_no_setting_that_serves_as_much_as_the_present_one_is_struck_for_what_that_served
      random = Random.new(7)
      struck = Array.new(300) { wrongly_struck(random) }.flatten(1)
      assert_empty struck
    end

    # Measured with one thread instead of five, database-bound jobs were served 47 % faster than predicted.
    def test_jobs_of_a_constant_load_say_nothing_of_much_fewer_threads
      now = Candidate.new(processes: 1, threads: 5)
      demand = ServiceDemand.new(held_ns: 28.8 * MS, idle_ns: 24.7 * MS, acquisitions: 118)
      limits = ResourceLimits.new(vcpus: 2)
      found = [1, 2, 3, 5, 8, 10, 32].to_h do |threads|
        guards = Guards.new(demand, limits:, rate: 0, current: now, kind: :job, constant_load: true)
        [threads, guards.call(now.with(threads:)).find { |hit| hit.name == :unknown_cost }]
      end
      assert_equal [1, 2, 32], found.compact.keys
      assert_operator found[1].value, :>, 0.47
      assert_empty names(now.with(threads: 1), now:, demand:, kind: :job, rate: 0)
    end

    # The lab's jobs sleep: 45.4 a second were served by one thread, and 47.3 predicted from five.
    def test_jobs_that_sleep_take_as_long_with_fewer_threads
      now = Candidate.new(processes: 1, threads: 5)
      jobs = {held_ns: 4.6 * MS, idle_ns: 17 * MS, acquisitions: 6}
      struck = {0.0 => [1, 2], 0.95 => []}
      struck.each do |asleep, threads|
        demand = ServiceDemand.new(**jobs, asleep:)
        limits = ResourceLimits.new(vcpus: 2)
        guards = Guards.new(demand, limits:, rate: 0, current: now, kind: :job, constant_load: true)
        found = [1, 2, 3, 8].select do |count|
          guards.call(now.with(threads: count)).any? { |hit| hit.name == :unknown_cost }
        end
        assert_equal threads, found, asleep
      end
    end

    def test_a_load_beyond_what_was_served_is_struck
      found = Guards.new(DEMAND, limits: ResourceLimits.new(vcpus: 2), rate: 190, current: NOW, served: 150)
      assert_equal %i[stability cpu], found.call(NOW).map(&:name)
    end

    def test_a_ceiling_is_no_less_than_what_was_served
      limits = ResourceLimits.new(vcpus: 2, others: ResourceLimits::OtherCpus.always(1.95))
      modelled, known = [0, 90].map do |served|
        Guards.new(DEMAND, limits:, rate: 1, current: NOW, served:).ceiling(NOW)
      end
      assert_operator modelled, :<, 90
      assert_in_delta 90, known
    end

    # Twice the work at the same rate was not.
    def test_heavier_units_are_not_what_was_served
      limits = ResourceLimits.new(vcpus: 2)
      most = Guards.new(DEMAND, limits:, rate: 1, current: NOW).ceiling(NOW)
      recorded = Guards.new(DEMAND, limits:, rate: most, current: NOW, served: most)
      heavier = Guards.new(DEMAND.with(held_ns: 20 * MS, cpu_ns: 20 * MS), limits:, rate: most, current: NOW,
        served: most, recorded:)
      assert_empty recorded.call(NOW)
      assert_equal %i[stability cpu], heavier.call(NOW).map(&:name)
    end

    def test_cpus_for_native_code_too
      assert_includes names(demand: DEMAND.with(native_ns: 30 * MS)), :cpu
      assert_equal [], names(demand: DEMAND.with(native_ns: 30 * MS), vcpus: 4, rate: 40)
    end

    def test_cpus_that_others_use
      assert_equal [], names(vcpus: 2, rate: 40)
      assert_includes names(vcpus: 2, rate: 40, others: ResourceLimits::OtherCpus.always(1.5)), :cpu
    end

    # A replay shows what that costs requests, and more processes than now are no worse for it.
    def test_processes_that_would_fight_for_cpus
      assert_includes names(NOW.with(processes: 6), kind: :job, rate: 0), :inflation
      refute_includes names(NOW.with(processes: 6), rate: 165), :inflation
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
      four = NOW.with(processes: 4)
      refute_includes names(four, kind: :job, rate: 0, demand: busy, now: four), :inflation, "as recorded"
      assert_empty names(NOW.with(threads: 2), kind: :job, rate: 0)
    end

    private

    # Settings that are struck although the recorded one, which is not better, served the load.
    def wrongly_struck(random)
      demand = ServiceDemand.new(held_ns: random.rand(1.0..80.0) * MS, idle_ns: random.rand(0.0..80.0) * MS,
        acquisitions: random.rand(1..300), handoff_ns: random.rand(0..200_000))
      vcpus = random.rand(1..8)
      others = ResourceLimits::OtherCpus.always(random.rand(0.0..1.0) * vcpus)
      now, *tried = Array.new(11) do
        Candidate.new(processes: random.rand(1..vcpus + 2), threads: random.rand(1..12))
      end
      served = random.rand(0.1..3.0) * ClosedModel.new(demand).throughput(5)
      guards = Guards.new(demand, limits: ResourceLimits.new(vcpus:, others:), current: now, served:,
        rate: random.rand(0.3..1.0) * served)
      not_weaker = tried.select { |one| guards.ceiling(one) >= guards.ceiling(now) }
      struck = [now, *not_weaker].select { |one| (guards.call(one).map(&:name) & %i[stability cpu]).any? }
      guards.call(now).any? ? [now, *struck] : struck
    end
  end
end
