# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  class OtherCpusTest < Minitest::Test
    OtherCpus = ResourceLimits::OtherCpus

    START_S = ExampleUnits::START_S

    def spans(points)
      points.map { |rate, cpus| OtherCpus::OtherCpuSpan.new(rate: rate.to_f, cpus:) }
    end

    # 0.2 CPUs of a neighbour, and 10 ms of a database for each request.
    def test_finds_what_others_do_for_each_unit
      random = Random.new(1)
      points = (10...40).map { |rate| [rate, 0.2 + 0.01 * rate + 0.02 * (random.rand - 0.5)] }
      others = OtherCpus.of(spans(points))
      assert_in_delta 0.2, others.constant, 0.03
      assert_in_delta 10e6, others.unit_ns, 1e6
      assert_in_delta 0.445, others.mean, 0.01
      assert_in_delta others.mean, others.at(24.5), 0.001
      assert_includes 8e6..others.unit_ns, others.least_unit_ns
    end

    def test_counts_them_as_working_for_units_where_the_load_does_not_vary
      same = OtherCpus.of(spans([[10, 0.5]] * 6))
      assert_equal OtherCpus.new(constant: 0.0, unit_ns: 50e6, least_unit_ns: 0.0, mean: 0.5), same
      noisy = OtherCpus.of(spans([[10, 0.1], [11, 0.9], [10, 0.8], [11, 0.2], [10, 0.6]]))
      assert_in_delta 0.0, noisy.constant, 1e-9
    end

    def test_those_that_need_least_for_a_unit_use_as_much_in_the_recording
      others = OtherCpus.new(constant: 0.1, unit_ns: 40e6, least_unit_ns: 10e6, mean: 0.5)
      assert_in_delta 0.5, others.least.at(10), 1e-9
      assert_in_delta 0.6, others.least.at(20), 1e-9
      assert_equal OtherCpus.always(0.5), OtherCpus.always(0.5).least
    end

    def test_minutes_without_units_show_what_others_always_use
      others = OtherCpus.of(spans([[0, 0.5], [0, 0.51], [0, 0.49], [10, 0.5], [10, 0.5], [11, 0.51]]))
      assert_in_delta 0.5, others.constant, 0.03
      assert_in_delta 0.503, others.mean, 0.001
    end

    def test_without_units_they_are_always_used
      assert_equal OtherCpus.always(0.5), OtherCpus.of(spans([[0, 0.5], [0, 0.5]]))
      assert_equal OtherCpus::NONE, OtherCpus.of([])
    end

    # A neighbour uses one CPU all the time, and two of three minutes have hardly a request: shared among the
    # requests, it would be 3 CPUs in the busy minute, which used 0.2 of 2 themselves.
    def test_others_did_not_use_cpus_that_units_used
      others = OtherCpus.of(spans([[0.1, 1.0], [0.1, 1.0], [20, 1.1]]))
      assert_in_delta 3.07, others.at(20), 0.01
      bounded = others.within(1.8, rate: 20.0)
      assert_in_delta 1.8, bounded.at(20), 1e-9
      assert_in_delta others.mean, bounded.at(20.2 / 3), 1e-9
      assert_operator bounded.constant, :>, 0
      assert_equal others, others.within(3.1, rate: 20.0)
    end

    def test_others_that_used_more_at_other_times_leave_what_units_used
      assert_equal OtherCpus.always(1.5), OtherCpus.always(1.9).within(1.5, rate: 20.0)
      steady = OtherCpus.of(spans([[10, 1.9]] * 4))
      assert_equal OtherCpus.always(1.5), steady.within(1.5, rate: 20.0)
    end

    def test_units_count_in_the_interval_in_which_they_end
      intervals = [[100, 160, 0.3], [160, 220, 0.6]].map do |from_s, to_s, cpus|
        Holdup::Analysis::ProcessReport::OtherCpuInterval.new(from_s: START_S + from_s, to_s: START_S + to_s,
          cpus:)
      end
      units = [99, 100, 159, 160, 220].map do |end_s|
        ExampleUnits.unit_sample(1000 * end_s, running_ns: 0, idle_ns: 0, stalled_ns: 0, weight: 2.0)
      end
      first, second = OtherCpus.spans(intervals, units)
      assert_equal OtherCpus::OtherCpuSpan.new(rate: 4 / 60.0, cpus: 0.3), first
      assert_equal OtherCpus::OtherCpuSpan.new(rate: 2 / 60.0, cpus: 0.6), second
    end
  end
end
