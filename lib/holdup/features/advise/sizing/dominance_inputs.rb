# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What a Dominance needs of a Recommendation whose self-test fails.
      class DominanceInputs
        # @param base [Recommendation]
        # @param tested [Array<Recommendation::TestedArrivals>] ways in which requests may have come
        # @param traffic [Traffic] all of the recording
        # @param population [Numeric, nil] see Forecast
        def initialize(base, tested:, traffic:, population:, seed:, cpus:)
          @base = base
          @tested = tested
          @traffic = traffic
          @population = population
          @seed = seed
          @cpus = cpus
        end

        # Whether explanations describe what a replay misses: those of requests in processes with one pool.
        # What was served and is more than the model's ceiling refutes all of them.
        def possible?
          test = @base.self_test
          recording.kind == :request && !now.shared? && now.pool.nil? && test.refuted.nil? &&
            !test.reasons.intersect?(Dominance::BEYOND)
        end

        # @param candidates [Array<Candidate>] to compare with the present setting
        # @return [Dominance]
        def dominance(candidates)
          Dominance.new(draws:, fit:, replays:, candidates: candidates - [now], now:,
            objective: Objective.new(slo: @base.objective.slo), seed: @seed, cpus: @cpus)
        end

        # @return [Array<Candidate>] some of those that an advice tries, as memory and connections allow
        def settings
          grid = Search::CandidateGrid.new(recording.demand, current: now, vcpus: @base.limits.vcpus,
            threaded: recording.threaded?)
          some = grid.to_a.select { |candidate| tried?(candidate) }
          some.reject { |candidate| forbidden?(candidate) }
        end

        private

        def recording = @base.recording

        def now = @base.now

        def tried?(candidate)
          Dominance::THREADS.include?(candidate.own_threads) &&
            Dominance::MORE_PROCESSES.include?(candidate.processes - now.processes)
        end

        def forbidden?(candidate)
          hits = @base.forecast.estimate(candidate).guards.map(&:name)
          hits.intersect?(Dominance::HARD)
        end

        def draws
          limits = @base.limits
          result = @tested.first.result
          Explanation::ExplanationDraws.new(recording, vcpus: limits.free_vcpus..limits.vcpus.to_f,
            handoffs: result.handoffs, assignments: Forecast::ASSIGNMENTS.fetch(recording.kind),
            users: @tested.map(&:users).uniq, counted: !@traffic.arrival_draws.nil?, seed: @seed)
        end

        def fit
          blocks = @traffic.blocks.map(&:unit_samples)
          ExplanationFit.new(@tested.first.result.measured, blocks:, units: recording.units, seed: @seed)
        end

        def replays
          ExplanationReplays.new(recording, traffic: @traffic, peak: @base.traffic, rate: @base.rate, now:,
            limits: @base.limits, percentile: @base.objective.slo.percentile, population: @population,
            seed: @seed)
        end
      end
    end
  end
end
