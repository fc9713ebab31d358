# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/simulated_recording"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  class Recording::WarmUpLengthTest < Minitest::Test
    NS = 1_000_000_000
    BOOT_NS = SimulatedRecording::START_S * NS
    # Held twice as long at first, and half of the excess again after each further 14 s.
    HALF_LIFE_S = 14.0

    def test_processes_that_began_before_the_recording_show_nothing
      assert_equal 120, length(like_units(0...600, age_s: 3600))
    end

    def test_like_units_are_warm_at_once
      assert_equal 0, length(like_units(0...600))
    end

    def test_units_are_warm_once_they_take_at_most_a_twentieth_longer
      longer = [[40, 1.06], [120, 1.04], [600, 1.0]]
      assert_equal 40, length(like_units(0...600) { |age_s| longer.find { |to_s, _| age_s < to_s }.last })
    end

    # A few long ones would make the mean of all early ones longer.
    def test_a_late_cold_step_ends_the_warm_up
      assert_equal 80, length(like_units(0...600) { |age_s| age_s.between?(50, 79) ? 3.0 : 1.0 })
    end

    def test_other_names_at_first_are_no_warm_up
      early = like_units(0...120, name: "Boot#check") { 9.0 }
      assert_equal 0, length(early + like_units(0...600))
    end

    def test_shorter_ones_at_first_are_no_warm_up
      assert_equal 0, length(like_units(0...600) { |age_s| (age_s < 60) ? 0.5 : 1.0 })
    end

    def test_too_few_later_ones_show_nothing
      assert_equal 120, length(like_units(0...144))
    end

    # Thirty of them begin in sixty seconds.
    def test_steps_are_as_long_as_they_need_units
      units = like_units(0...1200, step_s: 2) { |age_s| (age_s < 20) ? 4.0 : 1.0 }
      assert_equal 20, length(units)
    end

    def test_too_few_early_ones_show_nothing
      early = like_units(0...120, step_s: 6)
      assert_equal 120, length(early + like_units(120...600))
    end

    def test_the_jit_says_when_it_is_warm
      assert_equal 31, length(like_units(0...600), samples: [sample(jit_warm_ns: BOOT_NS + 30 * NS + 1)])
    end

    def test_a_jit_that_is_warm_later_than_two_minutes_counts_as_two
      assert_equal 120, length(like_units(0...600), samples: [sample(jit_warm_ns: BOOT_NS + 500 * NS)])
    end

    def test_a_jit_that_is_not_warm_yet_says_nothing
      cold = like_units(0...600) { |age_s| (age_s < 50) ? 2.0 : 1.0 }
      assert_equal 50, length(cold, samples: [sample(jit_warm_ns: nil)])
    end

    def test_the_longest_of_several_processes_counts
      both = like_units(0...600) + like_units(0...600, pid: 8) { |age_s| (age_s < 50) ? 2.0 : 1.0 }
      assert_equal 70, length(both, samples: [sample(jit_warm_ns: BOOT_NS + 70 * NS)])
      assert_equal 50, length(both, samples: [sample(jit_warm_ns: BOOT_NS + 20 * NS)])
    end

    # What counts of the cold ones is at most a twentieth too long: times of a name differ by a factor of two,
    # and a store keeps 900 single ones of ten minutes.
    def test_what_is_left_of_a_simulated_warm_up_changes_little
      6.times do |seed|
        units = cold(SimulatedRecording.new(seed:, minutes: 10, rate: 8.4, sway: 0.0).unit_samples)
        seconds = length(units)
        kept = units.select { |unit| unit.age_ns >= seconds * NS }
        excess = kept.sum { |unit| factor(unit) } / kept.size - 1
        assert_operator excess, :<, 0.05, "seed #{seed} counts from #{seconds} s on"
        assert_operator excess, :<, units.sum { |unit| factor(unit) } / units.size - 1, "seed #{seed}"
      end
    end

    private

    def length(unit_samples, samples: [])
      Recording::WarmUpLength.new(unit_samples, samples).seconds
    end

    # @yield [Integer] age in seconds; how many times as long as usual it holds the GVL
    def like_units(seconds, age_s: 0, pid: ExampleUnits::PROCESS.pid, name: "A#b", step_s: 0.25)
      process = ExampleUnits::PROCESS.with(pid:, since_ns: BOOT_NS - age_s * NS)
      seconds.step(step_s).map do |at_s|
        times = block_given? ? yield((at_s + age_s).to_i) : 1.0
        ExampleUnits.unit_sample(at_s * 1000, process:, name:, running_ns: (8_000_000 * times).round)
      end
    end

    def sample(jit_warm_ns:)
      {host: "a", pid: ExampleUnits::PROCESS.pid, since_s: BOOT_NS / NS, jit_warm_ns:}
    end

    def cold(unit_samples)
      process = ExampleUnits::PROCESS.with(since_ns: BOOT_NS)
      unit_samples.map do |unit|
        young = unit.with(process:)
        young.with(running_ns: (young.running_ns * factor(young)).round)
      end
    end

    def factor(unit)
      1 + 0.5**(unit.age_ns.fdiv(NS) / HALF_LIFE_S)
    end
  end
end
