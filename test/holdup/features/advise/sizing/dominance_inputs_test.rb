# frozen_string_literal: true

require "test_helper"
require "support/stored_simulation"

module Holdup::Advise::Sizing
  class DominanceInputsTest < Minitest::Test
    one_ruby

    NOW = Candidate.new(processes: 1, threads: 5)
    Test = Data.define(:reasons, :refuted)
    Kind = Data.define(:kind)
    # A recommendation, as far as `possible?` asks for it.
    Asked = Data.define(:recording, :now, :self_test)

    def possible?(*reasons, kind: :request, now: NOW, refuted: nil)
      base = Asked.new(recording: Kind.new(kind:), now:, self_test: Test.new(reasons:, refuted:))
      inputs(base).possible?
    end

    def inputs(base) = DominanceInputs.new(base, tested: [], traffic: nil, population: nil, seed: 1, cpus: 1)

    def test_explains_requests_that_a_replay_misses
      assert possible?(:unknown)
      assert possible?(:growth, :chance)
    end

    def test_does_not_explain_what_no_replay_has
      Dominance::BEYOND.each { |reason| refute possible?(:growth, reason), reason }
      refute possible?(:unknown, refuted: 28.0)
      refute possible?(:unknown, kind: :job)
      refute possible?(:unknown, now: NOW.with(threads: 6, other_threads: [1]))
    end

    def test_tries_some_settings_within_memory_and_connections
      recording = StoredSimulation.of(SimulatedRecording.new(seed: 1, minutes: 3, sway: 0.0))
      all, few = [nil, 6].map do |connections|
        limits = ResourceLimits.new(vcpus: 2, connections:)
        base = Recommendation.new(recording, limits:, units: 400)
        inputs(base).settings.map { |one| [one.processes, one.threads] }
      end
      assert_includes all, [1, 3]
      assert_includes all, [2, 5]
      assert_includes few, [1, 3]
      refute_includes few, [2, 5]
    end
  end
end
