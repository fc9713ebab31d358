# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::Recording
  class RecordingChecksTest < Minitest::Test
    MS = 1_000_000
    FigureSet = Data.define(:settings, :units, :cold_share, :unit_samples, :cpu_share, :held_per_cpu,
      :pool_share, :lock_share, :machine_speed)
    SETTING = Holdup::Setting.new(attributes: {"threads" => 5})
    OTHER = Holdup::Setting.new(attributes: {"threads" => 3})
    ADMIN = Holdup::Setting.new(attributes: {"threads" => 3, "app" => "admin"})
    UNIT_SAMPLES = Array.new(RecordingChecks::FEWEST_UNIT_SAMPLES) { |i| ExampleUnits.unit_sample(i) }.freeze
    # Of a machine whose slow minutes take so much longer than the fast ones, which take 100.
    def self.speed(slow)
      Holdup::Analysis::Machine::MachineSpeed.new({"a" => [100, 100, 100, slow, slow]})
    end
    GOOD = FigureSet.new(settings: {SETTING => 400}, units: 400, cold_share: 0.5, unit_samples: UNIT_SAMPLES,
      cpu_share: 0.85, held_per_cpu: 1.1, pool_share: 0.05, lock_share: 0.1,
      machine_speed: speed(110))

    # At each limit itself.
    def test_a_recording_just_good_enough_has_no_problem
      assert_empty problems
    end

    def test_beyond_each_limit_is_its_problem
      {few_units: {units: 399}, warming_up: {cold_share: 0.51}, cpu_saturated: {cpu_share: 0.86},
       held_without_cpu: {held_per_cpu: 1.11},
       machine_speed: {machine_speed: self.class.speed(111)}, pool_bound: {pool_share: 0.051},
       lock_bound: {lock_share: 0.101},
       few_unit_samples: {unit_samples: UNIT_SAMPLES.drop(1)},
       mixed_settings: {settings: {SETTING => 300, OTHER => 100}},
       mixed_applications: {settings: {SETTING => 300, ADMIN => 100}}}.each do |kind, figures|
        assert_equal [kind], problems(**figures).map(&:kind)
      end
    end

    def test_only_some_forbid_advice
      refusals = problems(settings: {SETTING => 1, OTHER => 1}, units: 2, cpu_share: 1.0, held_per_cpu: 2.0,
        pool_share: 0.9, unit_samples: [])
      assert_equal %i[few_units mixed_settings], refusals.select(&:refusal?).map(&:kind).sort
      assert_equal %i[cpu_saturated few_unit_samples held_without_cpu pool_bound],
        refusals.reject(&:refusal?).map(&:kind).sort
    end

    def test_refusals_come_first
      kinds = problems(cold_share: 0.9, cpu_share: 1.0, pool_share: 0.9).map(&:refusal?)
      assert_equal [true, false, false], kinds
    end

    def test_few_units_of_a_warm_up_are_one_problem
      assert_equal [:warming_up], problems(units: 3, cold_share: 0.9).map(&:kind)
    end

    def test_facts_of_each_problem
      assert_equal({units: 12, needed: 400}, facts(units: 12))
      assert_equal({share: 0.75}, facts(cold_share: 0.75))
      assert_equal({cpu_share: 0.9}, facts(cpu_share: 0.9))
      assert_equal({pool_share: 0.4}, facts(pool_share: 0.4))
      assert_equal({lock_share: 0.4}, facts(lock_share: 0.4))
      assert_equal({ratio: 1.5}, facts(machine_speed: self.class.speed(150)))
      assert_equal({unit_samples: 7, needed: 200}, facts(unit_samples: UNIT_SAMPLES.first(7)))
      assert_equal({settings: [SETTING, OTHER], units: [9, 1]}, facts(settings: {SETTING => 9, OTHER => 1}))
    end

    def test_the_starved_share_is_of_the_time_held
      assert_in_delta 0.5, facts(held_per_cpu: 2.0).fetch(:starved_share)
      assert_in_delta 0.2, facts(held_per_cpu: 1.25).fetch(:starved_share)
    end

    def test_an_unknown_cpu_share_is_not_saturated
      assert_empty problems(cpu_share: nil)
    end

    def test_warns_of_like_units_that_got_faster
      problem = problems(unit_samples: units { |share| (share < 0.5) ? 12 : 6 }).first
      assert_equal :unsteady, problem.kind
      refute_predicate problem, :refusal?
      assert_in_delta 2.0, problem.facts.fetch(:ratio), 0.01
    end

    def test_compares_the_first_third_with_the_last
      assert_empty problems(unit_samples: units { |share| share.between?(0.34, 0.66) ? 60 : 6 })
    end

    def test_a_drift_within_the_limit_is_steady
      ratio = RecordingChecks::STEADY
      assert_empty problems(unit_samples: units { |share| (share < 0.5) ? 6 * ratio * 0.999 : 6 })
      assert_equal [:unsteady],
        problems(unit_samples: units { |share| (share < 0.5) ? 6 * ratio * 1.001 : 6 }).map(&:kind)
    end

    def test_warns_of_like_units_that_got_slower
      problem = problems(unit_samples: units { |share| (share < 0.5) ? 6 : 12 }).first
      assert_equal :slowed, problem.kind
      refute_predicate problem, :refusal?
      assert_in_delta 2.0, problem.facts.fetch(:ratio), 0.01
    end

    # Slow endpoints first, fast ones later: each is as fast as before.
    def test_another_mix_is_steady
      unit_samples = units { |share| (share < 0.5) ? 60 : 6 }
      mixed = unit_samples.map do |unit|
        unit.with(series: series((unit.running_ns > 9 * MS) ? "Slow" : "Fast"))
      end
      assert_empty problems(unit_samples: mixed)
    end

    def test_units_that_never_held_the_gvl_are_steady
      assert_empty problems(unit_samples: UNIT_SAMPLES.map { |unit| unit.with(running_ns: 0) })
    end

    def test_too_few_units_show_no_drift
      few = units { |share| (share < 0.5) ? 60 : 6 }.drop(1)
      assert_equal [:few_unit_samples], problems(unit_samples: few).map(&:kind)
    end

    private

    def problems(**figures) = RecordingChecks.new(GOOD.with(**figures)).problems

    def facts(**figures) = problems(**figures).first.facts

    # @yieldparam share [Float] of the units before
    # @yieldreturn [Numeric] ms that the unit held the GVL
    def units
      UNIT_SAMPLES.each_with_index.map do |unit, index|
        unit.with(running_ns: (yield(index.fdiv(UNIT_SAMPLES.size)) * MS).round)
      end
    end

    def series(name) = Holdup::Series.new(kind: :request, name:)
  end
end
