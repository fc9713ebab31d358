# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Analysis
  class MachineSpeedTest < Minitest::Test
    def test_variation_from_a_tenth_to_nine_tenths_of_the_minutes
      usual = Array.new(9) { |minute| 100 + minute }
      assert_in_delta 1.08, speed("a" => [*usual, 100, 900]).variation, 0.01
    end

    def test_the_host_that_varies_most
      assert_in_delta 1.5, speed("a" => [100] * 5, "b" => [100, 100, 100, 150, 150]).variation
    end

    def test_unknown_from_few_minutes
      few = speed("a" => [100, 100, 100])
      refute_predicate few, :known?
      assert_nil few.variation
      assert_nil few.slower_than(speed("a" => [100] * 5))
      assert_nil speed("a" => [100] * 5).slower_than(few)
    end

    def test_slower_on_the_hosts_that_both_times_know
      before = speed("a" => [100] * 5, "b" => [200] * 5)
      after = speed("b" => [240] * 5, "c" => [900] * 5)
      assert_in_delta 1.2, after.slower_than(before)
    end

    def test_slower_on_other_hosts
      before = speed("a" => [100] * 5, "b" => [400] * 5)
      assert_in_delta 1.5, speed("c" => [300] * 5).slower_than(before)
    end

    def test_both_times_together_vary_as_one_differs_from_the_other
      both = speed("a" => [100] * 5) + speed("a" => [130] * 5)
      assert_in_delta 1.3, both.variation
    end

    def test_of_samples_that_have_it
      times = [100, 110, 120, 130].map { |ns| {host: "a", pid: 0, fixed_work_ns: ns} }
      samples = [{host: "a", pid: 7}, *times]
      assert_in_delta 1.3, Machine::MachineSpeed.of(samples).variation
      refute_predicate Machine::MachineSpeed.of([{host: "a", pid: 0}]), :known?
    end

    private

    def speed(times) = Machine::MachineSpeed.new(times)
  end
end
