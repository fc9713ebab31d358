# frozen_string_literal: true

module Holdup
  module Lab
    class Trial
    end

    # The results of one measurement of a setting, from the client and from Holdup in the server.
    #
    # - `arm`; `rate`: requests per second to send, for `seconds`; `load`: see Load::OpenLoop#kind and
    #   LoadTool#kind; `seen`: Load::OpenLoop::Seen
    # - `cpu_s`: CPU seconds of all processes of the server, `memory_bytes`: of those that took requests, at
    #   the end (PSS); nil if the system doesn't report it; `gauges`: of each of these processes; `warmed`:
    #   WarmUp::WarmUpOutcome
    # - `windows`, `profiles`, `samples`: of this measurement only; windows may cover parts of minutes
    class Trial::TrialResult
      attr_reader :arm, :rate, :seconds, :load, :seen, :cpu_s, :memory_bytes, :gauges, :warmed, :windows,
        :profiles, :samples

      def initialize(arm:, rate:, seconds:, load:, seen:, cpu_s:, memory_bytes:, gauges:, warmed:, windows:,
        profiles:, samples:)
        @arm = arm
        @rate = rate
        @seconds = seconds
        @load = load
        @seen = seen
        @cpu_s = cpu_s
        @memory_bytes = memory_bytes
        @gauges = gauges.compact
        @warmed = warmed
        @windows = windows
        @profiles = profiles
        @samples = samples
      end

      # @return [Analysis::SeriesRow] all requests
      def total = summary.total

      # @return [Array<Analysis::SeriesRow>] by name
      def rows = summary.rows

      # @return [Setting] of the server
      def setting = observation.setting

      # @return [Float] answers per second
      def throughput = seen.throughput

      # @return [Boolean] whether it kept up with the rate, see Load::Pace
      def kept_up?
        Load::Pace.kept?(sent: seen.total.count, throughput:, seconds:, response_ns:)
      end

      # @return [Boolean] whether each request carries its time of sending
      def sent_times? = load == :open

      # @return [Float, nil] ns, mean; from the client's sending until a thread takes it
      def queued_ns
        sent_times? ? total.histogram(:queued).mean : [response_ns - wall_ns, 0.0].max
      end

      # @return [Float, nil] ns, mean
      def stalled_ns = total.histogram(:stalled).mean

      # @return [Float] ns of waiting that a user notices, mean
      def wait_ns = queued_ns.to_f + stalled_ns.to_f

      # @return [Float] ns from the client's sending to the request's end, mean
      def response_ns
        sent_times? ? queued_ns.to_f + wall_ns : seen.mean_ns
      end

      # @return [Integer, nil] ns, percentile of the response times of single requests; from the client if
      #   requests don't carry their time of sending
      def percentile(share)
        return Exchange::Percentile.of(responses, share) if sent_times?
        seen.total.public_send(Exchange::Percentile.kept(share))
      end

      # @return [Float, nil] CPU ns of a request, all threads of the server together
      def cpu_ns
        cpu_s && cpu_s * 1e9 / [seen.total.answered, 1].max
      end

      # @return [Array<SampleBlock>] the profiles for a store
      def blocks = SampleBlock.of(profiles)

      # @return [Sizing::Observation] for predictions
      def observation
        @observation ||= begin
          recording = Sizing::Recording.new(windows:, profiles:, samples:, warm_up_s: 0)
          Sizing::Observation.new(recording, kind: :request, members: summary.processes.members)
        end
      end

      private

      def wall_ns = total.histogram(:wall).mean.to_f

      def summary
        @summary ||= Analysis::Summary.new(windows, from_s: 0, to_s: 1 << 40, samples:,
          filter: Analysis::UnitFilter.new(kind: :request))
      end

      def responses
        @responses ||= profiles.map { |profile| profile.wall_ns + profile.queued_ns.to_i }.sort
      end
    end
  end
end
