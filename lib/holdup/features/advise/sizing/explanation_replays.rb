# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Short replays with an explanation: of the recording under its own setting, and of the peak under any.
      # Requests take the GVL fewer times than recorded, each for as much longer (SelfTest::CoarseUnits):
      # waits stay about the same, and a replay takes a fraction of the time.
      class ExplanationReplays
        # A request of a replay takes the GVL at most so often.
        ACQUISITIONS = 8
        # Requests of a replay.
        UNITS = 600
        # Parts of the recording, drawn with replacement, whose peaks are replayed in turns.
        PARTS = 12

        # Waits and responses at the percentile of the objective, ns.
        ReplayedPeak = Data.define(:wait_ns, :response_ns)

        # The same requests for all settings. `handoff_ns`: of their fewer hand-offs
        PeakRequests = Data.define(:trace, :handoff_ns, :rate, :cost, :assignment)

        # @return [Integer] events that were replayed so far
        attr_reader :events

        # @param recording [Recording]
        # @param traffic [Traffic] all of the recording; `peak`: what its peak is drawn from
        # @param rate [Float] units per second and host at the peak
        # @param population [Numeric, nil] see Forecast
        def initialize(recording, traffic:, peak:, rate:, now:, limits:, percentile:, population: nil,
          units: UNITS, seed: 1)
          @recording = recording
          @traffic = traffic
          @peak = peak
          @rate = rate
          @now = now
          @limits = limits
          @percentile = percentile
          @population = population
          @units = units
          @seed = seed
          @events = 0
          @lock = Mutex.new
        end

        # @param explanation [Explanation]
        # @param number [Integer] of the draw: others come at other moments
        # @return [SelfTest::MeasuredFigures] of the recorded setting, and the number of replayed units
        def recorded(explanation, number)
          replays = weighted_replays(explanation, @seed + number)
          [figures(replays), replays.sum { |replay| replay.result.trace.size }]
        end

        # @return [PeakRequests] for `call`
        def requests(explanation, number)
          part = parts[number % PARTS]
          part = part.independent unless explanation.counted
          rate = @rate * part.mean_rate / @peak.mean_rate
          trace = part.peak(seed: @seed + number, rate:, units: @units, even: !explanation.users.nil?)
          coarse = coarse(trace, @now, explanation, @rate)
          PeakRequests.new(trace: coarse.trace, handoff_ns: coarse.scenario.handoff_ns, rate:,
            cost: explanation.cost(@recording.demand), assignment: explanation.assignment)
        end

        # @param candidate [Candidate]
        # @param requests [PeakRequests]
        # @return [ReplayedPeak]
        def call(candidate, requests, explanation)
          scenario = candidate.scenario(vcpus: vcpus(explanation, requests.rate), cost: requests.cost,
            between: @recording.demand.between, handoff_ns: requests.handoff_ns,
            assignment: requests.assignment, seed: @seed)
          result = counted(peak(requests, scenario, explanation))
          wait_ns, response_ns = [result.waits, result.column(:response)].map { |column| percentile(column) }
          ReplayedPeak.new(wait_ns:, response_ns:)
        end

        private

        def parts
          @parts ||= begin
            random = Random.new(@seed)
            Array.new(PARTS) { @peak.resampled(random) }
          end
        end

        def peak(requests, scenario, explanation)
          return by_users(requests.trace, scenario, requests.rate, explanation) if explanation.users
          return Replay.call(requests.trace, scenario) unless @population
          Replay.closed(requests.trace, scenario, @population)
        end

        def by_users(trace, scenario, rate, explanation)
          users, think_ns = explanation.to_h.values_at(:users, :think_ns)
          Replay.closed(trace, scenario, users.count(rate, think_ns), think_ns:, answer_ns: users.response_ns)
        end

        # The CPUs that others leave at a load.
        def vcpus(explanation, rate)
          @limits.fitted(explanation.free_vcpus).free_vcpus(rate)
        end

        def weighted_replays(explanation, seed)
          return levels(explanation, seed) if @recording.closed_load.closed? && explanation.users.nil?
          result = explanation.users ? with_users(explanation, seed) : as_recorded(explanation, seed)
          [SelfTest::WeightedReplay.new(result: counted(result), each: 1.0)]
        end

        def as_recorded(explanation, seed)
          traffic = explanation.counted ? @traffic : @traffic.independent
          trace = traffic.recorded(seed:, units: @units)
          coarse = coarse(trace, @now, explanation, nil)
          Replay.call(coarse.trace, coarse.scenario)
        end

        def with_users(explanation, seed)
          rate = @traffic.mean_rate
          trace = @traffic.peak(seed:, rate:, units: @units, even: true)
          coarse = coarse(trace, @now, explanation, nil)
          by_users(coarse.trace, coarse.scenario, rate, explanation)
        end

        def levels(explanation, seed)
          traces = @recording.closed_load.traces(@traffic.pools, units: @units, seed:) do |unit_samples|
            @recording.on_free_cpus(unit_samples)
          end
          traces.map do |level|
            coarse = coarse(level.trace, @now, explanation, nil)
            result = Replay.closed(coarse.trace, coarse.scenario, level.population)
            SelfTest::WeightedReplay.new(result: counted(result), each: level.each)
          end
        end

        # @param rate [Float, nil] nil: as recorded
        def coarse(trace, candidate, explanation, rate)
          demand = @recording.demand
          scenario = candidate.scenario(vcpus: rate ? vcpus(explanation, rate) : explanation.free_vcpus,
            cost: explanation.cost(demand), between: demand.between, handoff_ns: explanation.handoff_ns,
            assignment: explanation.assignment, seed: @seed)
          SelfTest::CoarseUnits.new(trace, scenario, acquisitions: ACQUISITIONS, longer: explanation.speed)
        end

        def counted(result)
          @lock.synchronize { @events += result.events }
          result
        end

        def percentile(values)
          sorted = values.sort
          sorted[((sorted.size - 1) * @percentile).round]
        end

        def figures(replays)
          weight = replays.sum(&:weight)
          queued = !@recording.measured.queued_ns.nil?
          responses = replays.flat_map do |replay|
            replay.responses(queued:).map { |ns| [ns, replay.each] }
          end
          SelfTest::MeasuredFigures.new(
            queued_ns: queued ? sum(replays) { |result| result.column(:queued).sum } / weight : nil,
            stalled_ns: sum(replays) { |result| result.column(:stalled).sum } / weight,
            handoff_ns: sum(replays, &:handed_ns) / weight, response_ns: WeightedSample.mean(responses),
            p95_ns: WeightedSample.quantile(responses, SelfTest::P95),
            utilisation: sum(replays) { |result| result.utilisation * result.elapsed_ns } /
              replays.sum(&:weight_ns)
          )
        end

        def sum(replays)
          replays.sum(0.0) { |replay| yield(replay.result) * replay.each }
        end
      end
    end
  end
end
