# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # A promised percentile of the time from a unit's arrival to its end; without a limit, just the
      # percentile.
      #
      #   Slo.parse("p95=300ms")  # => #<data Slo percentile=0.95, limit_ns=300000000>
      Slo = Data.define(:percentile, :limit_ns) do
        # @param text [String] "p95", "p99=1.5s"
        def self.parse(text)
          match = /\Ap(\d{2}(?:\.\d)?)(?:=(\d{1,9}(?:\.\d{1,6})?)\s?(us|ms|s))?\z/.match(text.strip) or return
          percentile = (Float(match[1]) / 100).round(3)
          if percentile >= 0.5
            new(percentile:, limit_ns: match[2] && (Float(match[2]) * self::UNITS.fetch(match[3])).round)
          end
        end

        def initialize(percentile: 0.95, limit_ns: nil)
          super
        end

        def name
          "p#{format("%g", percentile * 100)}"
        end

        def met?(response_ns)
          limit_ns.nil? || response_ns <= limit_ns
        end
      end

      Slo::UNITS = {"us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze

      class Slo
        # The load at which the present setting just keeps its promise: requests arrive at the rate at which
        # the replay predicts the SLO's percentile at its limit; jobs end at the highest throughput.
        class CapacityAtSlo
          # Halvings of the range between no load and the ceiling: to 0.4 % of it.
          STEPS = 8

          # `per_second`: of a host, nil with a `reason` (Symbol) if unknown; `processes`: of a host, as
          # recorded
          CapacityFigure = Data.define(:per_second, :processes, :reason) do
            def initialize(per_second: nil, processes: nil, reason: nil)
              super
            end
          end

          # Even a hardly loaded process does not keep the SLO.
          OUT_OF_REACH = :slo_out_of_reach
          # The SLO has no limit.
          NO_SLO = :no_slo

          # @param recommendation [Recommendation, nil] of units that arrive on their own; nil: nothing is
          #   recorded
          # @param slo [Slo] for requests
          # @param units [Integer] of each replay
          def initialize(recommendation, slo:, units: Traffic::UNITS)
            @recommendation = recommendation
            @slo = slo
            @units = units
          end

          # @return [CapacityFigure]
          def call
            return unknown(:no_recording) unless @recommendation
            return unknown(NO_SLO) if requests? && @slo.limit_ns.nil?
            return unknown(@recommendation.reasons.first) if @recommendation.reasons.any?
            per_second = requests? ? at_slo : ceiling
            return unknown(OUT_OF_REACH) unless per_second&.positive?
            CapacityFigure.new(per_second:, processes: now.processes)
          end

          private

          def unknown(reason)
            CapacityFigure.new(reason:)
          end

          def requests?
            @recommendation.recording.kind == :request
          end

          def now = @recommendation.now

          def ceiling
            rate = @recommendation.rate
            @recommendation.forecast.estimate(now, trace(rate)).ceiling
          end

          def at_slo
            low = 0.0
            high = ceiling
            STEPS.times do
              middle = (low + high) / 2
              kept?(middle) ? low = middle : high = middle
            end
            low
          end

          def kept?(rate)
            forecast = @recommendation.forecast(rate:)
            response_ns = forecast.call(now, trace(rate), force: true).responses[@slo.percentile]
            !response_ns.nil? && @slo.met?(response_ns)
          end

          def trace(rate)
            @recommendation.traffic.peak(rate:, units: @units)
          end
        end
      end
    end
  end
end
