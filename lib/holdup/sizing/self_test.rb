# frozen_string_literal: true

module Holdup
  module Sizing
    # A model that predicts the present wrongly can't predict other settings: replays the recording on its own
    # setting, minute by minute, and compares the result with what was measured.
    #
    # Grade A: mean response, p95, queued + stalled and utilisation within 10 %; B: within 20 %; C: worse, and
    # no recommendation.
    class SelfTest
      # `queued_ns`: nil without stamped arrivals; responses are then without it. `handoff_ns`: part of
      # stalled_ns while no thread held the GVL; nil if unknown.
      MeasuredFigures = Data.define(:queued_ns, :stalled_ns, :handoff_ns, :response_ns, :p95_ns, :utilisation)
      # `errors`: {Symbol => Float}, signed shares; `handoff_ns`, `vcpus`: fitted values
      SelfTestResult = Data.define(:grade, :errors, :predicted, :measured, :causes, :handoff_ns, :vcpus) do
        def reasons
          (grade == :a) ? [] : causes.call
        end
      end

      GRADES = {0.1 => :a, 0.2 => :b}.freeze
      # One replay of unlike units near saturation shows as little as one day.
      REPLAYS = 4
      # Replays that fit the hand-off.
      FITTED = 2

      # @param vcpus [Range<Numeric>] see FreeCpus
      # @param assignments [Array<Symbol>] the one that fits better counts
      # @param units [Integer] of each replay, roughly
      # @param handoff_ns [Numeric, nil] see Handoff; nil: what fits the recording
      def initialize(recording, traffic:, current:, vcpus:, assignments:, units: 2 * Traffic::UNITS,
        handoff_ns: nil, seed: 1)
        @recording = recording
        @traffic = traffic
        @current = current
        @vcpus = vcpus
        @assignments = assignments
        @units = units
        @handoff_ns = handoff_ns
        @seed = seed
      end

      def call
        traces = Array.new(REPLAYS) { |index| @traffic.recorded(seed: @seed + index, units: @units) }
        @assignments.map { |assignment| result(traces, assignment) }.min_by { |result| worst(result.errors) }
      end

      private

      def demand = @recording.demand

      def measured = @recording.measured

      def result(traces, assignment)
        few = traces.first(FITTED)
        vcpus = FreeCpus.fit(@vcpus, measured.utilisation) do |free|
          play(few, assignment, vcpus: free).utilisation
        end
        handoff_ns = @handoff_ns || fitted_handoff_ns(few, assignment, vcpus)
        compare(play(traces, assignment, vcpus:, handoff_ns:), vcpus:, handoff_ns:)
      end

      def fitted_handoff_ns(traces, assignment, vcpus)
        Handoff.fit(handoff_times(measured)) do |ns|
          handoff_times(play(traces, assignment, vcpus:, handoff_ns: ns))
        end
      end

      # Waits that depend on hand-offs. The queue time of jobs depends on more.
      def handoff_times(figures)
        wait_ns = (@recording.kind == :job) ? figures.stalled_ns : wait(figures)
        Handoff::HandoffTimes.new(handoff_ns: figures.handoff_ns, wait_ns:)
      end

      def play(traces, assignment, vcpus:, handoff_ns: Handoff::NS)
        scenario = @current.scenario(vcpus:, cost: demand.cost, between: demand.between, handoff_ns:,
          assignment:, seed: @seed)
        mean(traces.map { |trace| figures(Replay.call(trace, scenario)) })
      end

      def mean(all)
        means = all.first.to_h.to_h { |key, value| [key, value && all.sum(&key) / all.size.to_f] }
        MeasuredFigures.new(**means)
      end

      def compare(predicted, **fitted)
        errors = errors(predicted)
        grade = GRADES.find { |limit, _| worst(errors) <= limit }&.last || :c
        causes = ErrorCauses.new(@recording, traffic: @traffic, processes: @current.processes)
        SelfTestResult.new(grade:, errors:, predicted:, measured:, causes:, **fitted)
      end

      def figures(outcome)
        queued = outcome.column(:queued)
        response = outcome.column(:response)
        response = response.zip(queued).map { |all, before| all - before } unless measured.queued_ns
        queued_ns = outcome.mean(:queued) if measured.queued_ns
        p95_ns = response.sort[((response.size - 1) * 0.95).round]
        MeasuredFigures.new(queued_ns:, stalled_ns: outcome.mean(:stalled), handoff_ns: outcome.handoff_ns,
          response_ns: response.sum.fdiv(response.size), p95_ns:, utilisation: outcome.utilisation)
      end

      # Errors of waits are shares of the response: 1 ms instead of 2 of 300 does not matter.
      def errors(predicted)
        {response: off(predicted.response_ns, measured.response_ns),
         p95: off(predicted.p95_ns, measured.p95_ns),
         wait: (wait(predicted) - wait(measured)) / measured.response_ns,
         utilisation: predicted.utilisation - measured.utilisation}
      end

      def off(predicted, truth) = predicted / truth.to_f - 1

      def wait(figures)
        figures.queued_ns.to_i + figures.stalled_ns
      end

      def worst(errors) = errors.values.map(&:abs).max

      # CPUs that are available when a process wants one. Others use some on average, but not always at that
      # moment, and the scheduler prefers threads that slept: the number lies between the mean that others
      # leave and all. A recording shows where: a thread that waits for a CPU keeps the GVL, and held time was
      # measured.
      module FreeCpus
        # Halvings of the range: they narrow it to a sixteenth.
        STEPS = 4

        # @param measured [Float] utilisation of a GVL
        # @yieldreturn [Float] the same, replayed with that many vCPUs
        def self.fit(range, measured)
          least, most = range.minmax
          return least if most <= least || yield(least) <= measured
          STEPS.times do
            middle = (least + most) / 2.0
            (yield(middle) > measured) ? least = middle : most = middle
          end
          (least + most) / 2.0
        end
      end

      # Why a replay of the present may miss: figures of the recording that a replay does not model, and the
      # size from which each can explain an error.
      class ErrorCauses
        NS = 1_000_000_000
        # Grade A allows an error of 10 % of the response: less than half of that does not explain a miss.
        SHARE = 0.05
        # Share of the peak that the GVL is held: beyond it the length of a queue is mostly chance.
        BUSY = 0.85
        # Peak against mean: beyond it a minute has bursts that its mean rate hides.
        SWINGS = 3.0
        LIMITS = {starved: SHARE, resource_waits: SHARE, busy: BUSY, swings: SWINGS}.freeze

        def initialize(recording, traffic:, processes:)
          @recording = recording
          @traffic = traffic
          @processes = processes
        end

        # @return [Array<Symbol>] causes that its figures support, else :unknown; and :queue_unknown
        def call
          found = figures.select { |name, figure| figure > LIMITS.fetch(name) }.keys
          [*(found.empty? ? [:unknown] : found), *(:queue_unknown unless measured.queued_ns)]
        end

        # @return [Hash{Symbol => Float}] starved and resource_waits as shares of the response, busy of the
        #   time, swings as a ratio
        def figures
          @figures ||= {starved: starved_ns / measured.response_ns,
                        resource_waits: @recording.resource_wait_ns / measured.response_ns.to_f,
                        busy: @traffic.peak_rate * demand.held_ns / NS / @processes, swings:}
        end

        private

        def measured = @recording.measured

        def demand = @recording.demand

        # Without a CPU itself, and waiting for holders that had none.
        def starved_ns
          excess = [@recording.held_per_cpu - 1, 0.0].max
          demand.cpu_ns * excess + measured.stalled_ns * excess / (1 + excess)
        end

        def swings
          rates = @traffic.blocks.flat_map(&:rates)
          rates.max / [rates.sum / rates.size, Float::MIN].max
        end
      end
    end
  end
end
