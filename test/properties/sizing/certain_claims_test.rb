# frozen_string_literal: true

require "test_helper"
require_relative "../../../benchmark/support/coverage/plan"
require_relative "../../../benchmark/support/coverage/trial"

module Holdup::Advise::Sizing
  # What is said with 90 % where the self-test fails, of simulated recordings in which everything is known.
  class CertainClaimsTest < Minitest::Test
    Claims = Bench::Coverage::CertainClaims
    RIGHT = 0.88

    def planted(**options)
      Bench::Coverage::Planted.new(arrivals: :open, growth: 0.1, handoff_ns: 20_000, load: 0.85, units: 1500,
        processes: 1, **options)
    end

    # As if the self-test had failed.
    def found(planted, seed, truth)
      limits = ResourceLimits.new(vcpus: Bench::Coverage::Planted::VCPUS)
      base = Recommendation.new(planted.stored(planted.recording(seed, truth)), limits:, units: 300)
      result = base.self_test.with(grade: :c)
      tested = [Recommendation::TestedArrivals.new(users: nil, result:)]
      inputs = DominanceInputs.new(base, tested:, traffic: base.traffic, population: nil, seed: 1, cpus: 1)
      inputs.dominance([[2, 3], [1, 1], [1, 2]].map { |size| candidate(base.now, *size) }).call
    end

    def candidate(now, processes, threads) = now.with(processes:, threads:)

    one_ruby def test_a_second_process_is_certainly_better_and_a_single_thread_worse
      truth = Bench::Coverage::Truth.new(planted, units: 3000)
      found = found(planted, 1, truth)
      answers = found.settings.to_h { |one| [[one.candidate.processes, one.candidate.threads], one.answer] }
      assert_equal %i[better worse], answers.values_at([2, 3], [1, 1])
      claims = Claims.new(found, planted, truth).call
      assert claims.all?(&:true?), claims.inspect
    end

    nightly def test_nine_of_ten_statements_are_true
      claims = [0.0, 0.2].product([0, 70_000, 200_000], [0.4, 0.7]).flat_map.with_index do |costs, seed|
        growth, handoff_ns, load = costs
        planted = planted(growth:, handoff_ns:, load:)
        truth = Bench::Coverage::Truth.new(planted, units: 5000)
        found = found(planted, seed, truth)
        found ? Claims.new(found, planted, truth).call : []
      end
      assert_operator claims.size, :>=, 20
      assert_operator claims.count(&:true?), :>=, RIGHT * claims.size, claims.reject(&:true?).inspect
    end

    def test_statements_are_judged_by_the_true_gain
      {better: 0.01, worse: -0.01, alike: -0.04, no_gain: -0.9, enough_threads: 0.04}.each do |answer, gain|
        assert_predicate Claims::Claim.new(answer:, gain:), :true?, answer
      end
      {better: -0.01, worse: 0.01, alike: -0.06, no_gain: 0.06, enough_threads: 0.06}.each do |answer, gain|
        refute_predicate Claims::Claim.new(answer:, gain:), :true?, answer
      end
    end
  end
end
