# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class OpenCalculatorTest < Minitest::Test
    UNIT = ServiceDemand.new(held_ns: 12e6, idle_ns: 30e6, acquisitions: 8)

    def calculator(demand = UNIT, rate: 40.0, threads: [1, 2, 3, 5, 8], **options)
      OpenCalculator.new(demand, rate:, threads:, **options)
    end

    def test_the_fewest_threads_with_about_the_shortest_response
      lines = calculator.lines
      assert_equal [nil, nil],
        lines.first(1).map(&:whole_ns) + [lines.first.queued_ns] # 1 / 42 ms are less than 40 a second
      assert_equal lines.filter_map(&:whole_ns).sort.reverse, lines.filter_map(&:whole_ns)
      best = calculator.best
      assert_operator best.threads, :<, 8
      assert_operator best.whole_ns, :<=, lines.last.whole_ns * 1.05
      assert_in_delta 0.48, best.utilisation, 0.001
    end

    def test_no_number_of_threads_serves_what_is_too_much
      too_much = calculator(rate: 90.0)
      assert_nil too_much.best
      assert_operator too_much.capacity, :<, 1 / 0.012
      assert calculator(rate: 90.0, processes: 2).best
      refute calculator(rate: 90.0, processes: 2, vcpus: 1).best
    end

    def test_units_that_are_too_unlike
      assert_predicate calculator, :valid?
      refute_predicate calculator(UNIT.with(cv2: 2.5)), :valid?
    end
  end
end

module Holdup::Advise::Sizing
  class OpenModelTest < Minitest::Test
    # 10 ms held and 20 ms idle in all: the run of the research notes at U = 0.61.
    LIKE = ServiceDemand.new(held_ns: 10e6, idle_ns: 10e6, acquisitions: 8)

    def model(demand = LIKE, processes: 1, threads: 5, rate: 50.0, vcpus: 2)
      OpenCalculator::OpenModel.new(demand, processes:, threads:, rate:, vcpus:)
    end

    # One thread is a queue with one server; alike units of exponential length: M/M/1.
    def test_one_thread_is_a_queue_with_one_server
      queue = model(threads: 1, rate: 25.0)
      assert_in_delta 20e6, queue.response_ns, 1e3
      assert_in_delta 20e6, queue.queued_ns, 1e3 # rho / (1 - rho) * service, rho = 0.5
      assert_in_delta 0, queue.stall_ns, 1e3
    end

    # Fewer threads do not remove waiting: they move it from stall to queue.
    def test_waiting_is_moved_and_not_removed
      few, many = [2, 10].map { |threads| model(threads:, rate: 60.0) }
      assert_operator few.queued_ns, :>, many.queued_ns
      assert_operator few.stall_ns, :<, many.stall_ns
      assert_operator many.stall_ns, :>, 2 * few.stall_ns
    end

    def test_beyond_its_capacity_nothing_is_said
      queue = model(rate: 200.0)
      refute queue.stable?
      assert_nil queue.response_ns
      assert_nil queue.queued_ns
      assert_in_delta 100, queue.capacity, 5
    end

    def test_a_light_load_waits_for_nothing
      assert_in_delta 20e6, model(rate: 0.5).response_ns, 0.2e6
      assert_in_delta 0, model(rate: 0.5).queued_ns, 1e3
    end

    def test_two_processes_take_twice_as_much_and_cpus_cap_them
      assert_in_delta 2, model(processes: 2).capacity / model.capacity, 1e-6
      assert_in_delta 100, model(processes: 4, threads: 5, vcpus: 1).capacity, 0.01
    end

    # 2,000 units in flight, each with a thread and most of them idle: nearly nobody waits, and no number
    # overflows.
    def test_thousands_in_flight
      fleet = model(ServiceDemand.new(held_ns: 1e6, idle_ns: 99e6), processes: 100, threads: 50,
        rate: 20_000.0,
        vcpus: 100)
      assert_in_delta 100e6, fleet.response_ns, 1e6
      assert_in_delta 0, fleet.queued_ns, 1e3
    end

    def test_unlike_units_are_not_for_this_model
      refute model(LIKE.with(cv2: 2.8)).valid?
      assert model.valid?
    end
  end
end
