# frozen_string_literal: true

module Holdup
  module Lab
    # Each endpoint's cost in figures that depend on the code and hardly on other load of the machine: how
    # often it takes the GVL, how long it holds it, and its p95, replayed at a fixed load and setting. The
    # replay uses CPU time instead of GVL hold time, to exclude waits for a CPU.
    class Endpoints
      UNITS = 10_000
      SEED = 1
      # A median of fewer requests means little.
      FEWEST = 30

      # `count`: recorded requests; `acquisitions` and `longest_hold_ns`: medians of single requests;
      # `p95_ns`: predicted
      EndpointFigures = Data.define(:count, :acquisitions, :longest_hold_ns, :p95_ns) do
        # @return [Boolean] whether there were enough
        def enough? = count >= Endpoints::FEWEST
      end

      # @param load [ReferenceLoad, nil] nil: as it was recorded
      def initialize(recording, load: nil)
        @recording = recording
        @load = load || ReferenceLoad.new(rate: traffic.mean_rate.round(3), processes: recording.processes,
          threads: recording.threads)
      end

      # The setting and the requests per second that p95 is predicted for.
      ReferenceLoad = Data.define(:rate, :processes, :threads)

      attr_reader :load

      # @return [Hash{String => EndpointFigures}] by name
      def to_h
        p95 = responses
        unit_samples.group_by { |unit_sample| unit_sample.series.name }.sort.to_h do |name, own|
          figures = EndpointFigures.new(count: own.size, acquisitions: median(own, &:acquisitions),
            longest_hold_ns: median(own, &:longest_hold_ns), p95_ns: p95[name])
          [name, figures]
        end
      end

      private

      def unit_samples = @recording.unit_samples

      def traffic
        @traffic ||= begin
          traffic = Advise::Sizing::Traffic.of(unit_samples, arrivals)
          traffic.map { |unit_sample| unit_sample.with(running_ns: unit_sample.cpu_ns) }
        end
      end

      # Counted from the requests: a window has the minute of its collection, which may differ in a short
      # recording.
      def arrivals
        minute_ns = MINUTE_S * NS
        by_minute = unit_samples.group_by { |unit_sample| unit_sample.start_ns / minute_ns * MINUTE_S }
        by_minute.transform_values { |own| own.sum(&:weight) }
      end

      # @return [Hash{String => Integer}] predicted p95 of each endpoint, ns
      def responses
        sample = {seed: SEED, rate: load.rate, units: UNITS}
        responses_ns = Advise::Sizing::Replay.call(traffic.peak(**sample), scenario).column(:response)
        names = traffic.drawn(**sample).map { |unit_sample| unit_sample.series.name }
        by_name = names.zip(responses_ns).group_by(&:first)
        by_name.transform_values { |pairs| percentile(pairs.map(&:last)) }
      end

      def scenario
        candidate = Advise::Sizing::Candidate.new(processes: load.processes, threads: load.threads,
          time_slice_ns: @recording.time_slice_ns)
        candidate.scenario(vcpus: @recording.vcpus || load.processes,
          cost: @recording.demand.cost, assignment: :least_busy, seed: SEED)
      end

      def percentile(values)
        values.sort[((values.size - 1) * 0.95).round]
      end

      def median(own)
        own.map { |unit_sample| yield unit_sample }.sort[own.size / 2]
      end
    end
  end
end
