# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Many experiments whose truth is known (see SimulatedArms): equals are found equal, differences are found as
# often as promised, whatever the mix does.
class SimulatedExperimentsTest < Minitest::Test
  one_ruby

  Experiment = Holdup::Experiment::Result
  MINUTES = 40
  MIXES = {control: [160, 80], candidate: [80, 160]}.freeze

  # How often at most, by chance, when the promise holds: three standard errors.
  def self.most(share, trials) = share + 3 * Math.sqrt(share * (1 - share) / trials)

  # @return [Hash{Symbol => Float}] shares of the verdicts
  def verdicts(trials, first_seed: 0, **options)
    keys = Array.new(trials) do |trial|
      SimulatedArms.new(minutes: MINUTES, seed: first_seed + trial, **options).experiment.answer.key
    end
    keys.tally.transform_values { |count| count.fdiv(trials) }.tap { |shares| shares.default = 0.0 }
  end

  def wrong(verdicts) = %i[better worse both].sum { |key| verdicts[key] }

  repeated_nightly def test_of_equals_one_in_twenty_differs_over_all_looks
    count = Thorough.turns(40, nightly: 400)
    found = verdicts(count)
    assert_operator wrong(found), :<=, self.class.most(0.05, count), found.inspect
    assert_operator found[:invalid], :<=, self.class.most(0.02, count), found.inspect
  end

  # Judged by single requests, of which few are stored.
  repeated_nightly def test_of_equals_with_other_threads_one_in_twenty_differs
    count = Thorough.turns(10, nightly: 100)
    found = verdicts(count, first_seed: 40_000, threads: {control: 16, candidate: 4},
      queued_ms: {control: 5, candidate: 5})
    assert_operator wrong(found), :<=, self.class.most(0.05, count), found.inspect
  end

  repeated_nightly def test_another_mix_is_not_an_effect
    count = Thorough.turns(25, nightly: 200)
    found = verdicts(count, first_seed: 10_000, mix: MIXES)
    assert_operator wrong(found), :<=, self.class.most(0.05, count), found.inspect
  end

  repeated_nightly def test_differences_are_found_in_their_direction
    count = Thorough.turns(12, nightly: 100)
    {0.05 => 0.05, 0.1 => 0.5, 0.2 => 0.95}.each do |effect, least|
      found = verdicts(count, first_seed: 20_000, effect:)
      margin = 3 * Math.sqrt(least * (1 - least) / count)
      assert_equal 0.0, found[:worse] + found[:both], "#{effect}: #{found}"
      assert_operator found[:better], :>=, least - margin, "#{effect}: #{found}"
    end
  end

  # The estimate is from an hour before the experiment, in which nothing differs. Only CPU differs then: an
  # experiment ends with the first figure that moves.
  repeated_nightly def test_four_of_five_differences_are_found_in_the_time_that_the_plan_says
    count = Thorough.turns(15, nightly: 150)
    found = Array.new(count) { |trial| planned_finds?(trial, effect: 0.1) }.count(true).fdiv(count)
    assert_operator found, :>=, 0.8 - 3 * Math.sqrt(0.8 * 0.2 / count)
  end

  repeated_nightly def test_turns_on_the_same_processes
    count = Thorough.turns(15, nightly: 150)
    equal, different = [0.0, 0.3].map do |effect|
      Array.new(count) { |trial| switchback(trial, effect:).answer.key }.tally
    end
    wrong = equal.values_at(:better, :worse, :both).sum(&:to_i).fdiv(count)
    assert_operator wrong, :<=, self.class.most(0.05, count), equal.inspect
    assert_nil different[:worse]
    assert_operator different[:better].to_i.fdiv(count), :>=, 0.5, different.inspect
  end

  private

  def planned_finds?(trial, effect:)
    history = SimulatedArms.new(minutes: 60, seed: 30_000 + trial)
    estimated = history.experiment(looks: 1)
    cpu = estimated.estimates.find { |estimate| estimate.metric.name == :cpu_unit }
    plan = Holdup::Experiment::LookSchedule::DetectableEffect.new(cpu, blocks: estimated.blocks,
      outcomes: estimated.outcomes.size)
    minutes = plan.seconds(effect / (1 - effect)) / 60
    arms = SimulatedArms.new(minutes:, seed: 40_000 + trial, effect:, wall_effect: 0.0)
    arms.experiment.answer.moved.any? { |estimate| estimate.metric.name == :cpu_unit }
  end

  # Turns of five minutes, for four hours.
  def switchback(trial, effect:)
    design = Holdup::Switchback.after(SimulatedArms::START_S, turn_s: 300, cycles: 24, equal_cycles: 6,
      seed: trial)
    minutes = (design.ends_s - design.from_s) / 60
    simulated = SimulatedArms.new(minutes:, seed: 50_000 + trial, effect:)
    windows = simulated.in_turns(design)
    sides, equals = %i[different equal].map do |phase|
      SimulatedArms::ARMS.zip(design.split(windows, phase:)).map { |arm, some| simulated.side(arm, some) }
    end
    schedule = Holdup::Experiment::LookSchedule.new(block_s: design.cycle_s, blocks: design.cycles, looks: 2)
    Experiment.new(*sides, schedule: SimulatedArms::SharedSchedule.new(schedule), to_s: design.ends_s,
      equals: [Experiment::EqualArms.new(label: "A/A", sides: equals)], planned_equality: true)
  end
end
