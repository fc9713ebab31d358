# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "measured_runs"

module Holdup::Advise::Sizing
  class SharedCpusTest < Minitest::Test
    RUNS = MeasuredRuns.all.select { |run| run.set == "multi" }
    VCPUS = 2

    def shared(demand, processes, threads, vcpus: VCPUS, **limits)
      SharedCpus.new(demand, processes:, threads:, limits: ResourceLimits.new(vcpus:, **limits))
    end

    # What a process needs when it has the CPUs to itself: the held time of a run has its waits for a CPU in
    # it.
    def alone(run)
      run.demand.with(held_ns: run.cpu_ms * 1e6)
    end

    def test_throughput_of_measured_runs_where_more_processes_than_cpus_scale_no_further
      RUNS.group_by(&:processes).each do |processes, runs|
        ours = MeasuredRuns.error(runs) { |run| shared(alone(run), run.processes, run.threads).throughput }
        naive = MeasuredRuns.error(runs) { |run|
          run.processes * ClosedModel.new(alone(run)).throughput(run.threads)
        }
        assert_operator ours, :<=, 0.03, "#{processes} processes"
        assert_operator naive, :>, 0.2, "#{processes} processes" if processes > VCPUS
      end
    end

    def test_with_cpus_enough_it_is_the_closed_model
      demand = ServiceDemand.of_share(0.5)
      assert_in_delta 1, shared(demand, 2, 5).inflation, 1e-9
      assert_in_delta 2 * ClosedModel.new(demand).throughput(5), shared(demand, 2, 5).throughput, 1e-6
    end

    def test_never_more_cpus_than_there_are
      [1, 2, 4, 8].product([1, 3, 10]).each do |processes, threads|
        assert_operator shared(ServiceDemand.of_share(0.2), processes, threads).cpus, :<=, VCPUS + 1e-9
      end
    end

    # 2 ms of Ruby and 8 ms of native code, which needs no GVL but a CPU: two serve 200 a second, however many
    # threads there are.
    def test_native_code_takes_cpus_too
      native = ServiceDemand.new(held_ns: 2e6, idle_ns: 10e6, native_ns: 8e6)
      assert_in_delta 200, shared(native, 2, 10).throughput, 1e-6
      assert_in_delta 50, shared(native, 1, 1).throughput, 1e-6
      assert_in_delta 2, shared(native, 4, 10).cpus, 1e-6
    end

    # A database that takes 10 ms of CPU for each request of 20 ms: 2 CPUs serve 2000 / 30 a second, and when
    # one process has one of them, the database has the other.
    def test_others_that_work_for_each_unit_take_cpus_as_throughput_grows
      demand = ServiceDemand.new(held_ns: 20e6, idle_ns: 20e6)
      others = ResourceLimits::OtherCpus.new(constant: 0.0, unit_ns: 10e6, mean: 0.1)
      assert_in_delta 2000 / 30.0, shared(demand, 4, 5, others:).throughput, 0.01
      assert_in_delta 50, shared(demand, 1, 20, others:).throughput, 0.01
      assert_operator shared(demand, 2, 5, others:).inflation, :>, shared(demand, 2, 5).inflation + 0.1
    end

    def test_a_hold_of_one_process_in_four_on_half_a_cpu_takes_twice_as_long_at_least
      assert_operator shared(ServiceDemand.of_share(0.0), 1, 1, vcpus: 0.5).inflation, :>=, 1.99
    end
  end
end
