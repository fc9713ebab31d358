# frozen_string_literal: true

require "test_helper"
require "delegate"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  # Where the self-test fails, the result says what is certain all the same.
  class Recommendation::DominanceTest < Minitest::Test
    one_ruby

    # Requests that hold the GVL for twice as long as the recording says: no replay reproduces their waits.
    Slower = Class.new(SimpleDelegator) do
      def measured
        found = __getobj__.measured
        found.with(response_ns: found.response_ns * 1.6, p95_ns: found.p95_ns * 1.6,
          queued_ns: found.queued_ns + found.response_ns * 0.6)
      end
    end

    RECORDED = StoredSimulation.of(SimulatedRecording.new(seed: 3, minutes: 3, sway: 0.0, rate: 40))

    def recommendation(recording)
      Recommendation.new(recording, limits: ResourceLimits.new(vcpus: 2), units: 400, cpus: 1)
    end

    def test_a_failed_self_test_is_answered_by_what_explanations_agree_on
      refused = recommendation(Slower.new(RECORDED))
      result = refused.call
      assert_equal [:unknown, :self_test], [result.verdict, result.reasons.first]
      assert_operator result.dominance.effective, :>=, Dominance::LEAST
      assert_operator result.dominance.events, :<=, Dominance::EVENTS * 1.2
    end

    def test_a_self_test_that_holds_is_not_explained
      held = recommendation(RECORDED)
      assert_empty held.reasons
      assert_nil held.dominance
    end
  end
end
