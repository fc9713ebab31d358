# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # What one run lets expect of other concurrencies: three ways to say how many jobs a second they do.
      class Forecast
        # @param outcome [JobOutcome] the recording
        def initialize(outcome)
          @outcome = outcome
        end

        # @param threads [Integer]
        # @return [Float] by replaying its jobs
        def replay(threads) = backlog.throughput(threads:)

        # @return [Float] by the closed model, from means alone
        def closed(threads) = model.throughput(threads)

        # @return [Float] by Amdahl's law, known to be wrong: it is the lower bound
        def amdahl(threads) = model.lower_bound(threads)

        # @return [Sizing::CoherencyEstimator::IntervalEstimate]
        def growth = recording.growth.overall

        private

        def recording = @outcome.recording

        def demand = @demand ||= recording.demand

        def backlog
          @backlog ||= with(Sizing::Handoff.fit(@outcome.waits) { |handoff_ns| with(handoff_ns).waits(threads: @outcome.threads) })
        end

        def with(handoff_ns)
          Sizing::BacklogReplay.new(@outcome.profiles, vcpus: recording.vcpus || 1,
            between: @outcome.between, cost: demand.cost, handoff_ns:)
        end

        def model
          @model ||= Sizing::ClosedModel.new(demand.with(between: @outcome.between).in_all)
        end
      end
    end
  end
end
