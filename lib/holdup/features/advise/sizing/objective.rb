# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What "better" means. Never stall alone: with fewer threads the same units wait in the queue instead.
      #
      # - `:latency`: queued + stalled at the SLO's percentile, at peak load
      # - `:cost`: least memory (else processes) that keeps the SLO, or about the present response
      # - `:balanced`: response at that percentile; each further process has to bring a tenth
      # - `:throughput`: for jobs, nearly the most units per second of these processes, with the fewest
      #   threads
      class Objective < Data.define(:name, :slo)
        NAMES = %i[latency cost balanced throughput].freeze
        # Smaller gains count as equal.
        TIE = 0.02
        PRICE = 1.1
        SLACK = 1.1
        NEARLY_ALL = 0.9

        # @param name [Symbol] one of NAMES
        def initialize(name: :latency, slo: Slo.new) = super

        # @param predictions [Array<Forecast::Prediction>] that no guard rejects
        # @return [Prediction, nil] the smallest change among those about as good as the best, unless one of
        #   these is better and cheaper
        def best(predictions, current)
          if name == :throughput
            return nearly_all(predictions, current).min_by { |prediction| prediction.candidate.threads }
          end
          tied = ties(predictions.select(&:replayed?), current)
          unbeaten = tied.reject do |one|
            tied.any? { |other| beats?(other, one) && response(other) < (1 - TIE) * response(one) }
          end
          unbeaten.min_by { |prediction| prediction.candidate.effort(current.candidate) }
        end

        # Whether it answers no later, and is cheaper: fewer threads in all, and no more of anything else.
        # (Waits alone don't show it: with more threads, units also take more CPU.)
        def beats?(prediction, other)
          mine, theirs = [prediction, other].map { |one| costs(one) }
          mine.first < theirs.first && mine.zip(theirs).all? { |my, their| my <= their } &&
            response(prediction) <= response(other)
        end

        # @return [Float] share by which `other` is better; negative: worse
        def gain(current, other)
          return more_gain(current, other) if name == :throughput || !current.replayed? || !other.replayed?
          case name
          when :cost then feasible?(other, current) ? 1 - price(other).fdiv(price(current)) : 0.0
          when :balanced then 1 - balance(other) / balance(current)
          else (wait(current) - wait(other)).fdiv(response(current))
          end
        end

        private

        def costs(prediction)
          candidate = prediction.candidate
          [candidate.slots, candidate.processes, prediction.memory_bytes.to_i, prediction.connections.to_i]
        end

        def wait(prediction)
          prediction.waits[slo.percentile]
        end

        def response(prediction)
          prediction.responses[slo.percentile]
        end

        def balance(prediction)
          response(prediction) * PRICE**prediction.candidate.processes
        end

        def price(prediction)
          prediction.memory_bytes || prediction.candidate.processes
        end

        def feasible?(prediction, current)
          slo.limit_ns ? slo.met?(response(prediction)) : response(prediction) <= SLACK * response(current)
        end

        def ties(predictions, current)
          gains = predictions.to_h { |prediction| [prediction, gain(current, prediction)] }
          best = gains.values.max
          predictions.select { |prediction| gains[prediction] >= best - TIE }
        end

        # More processes always raise throughput, at a price that the user decides: they stay.
        def nearly_all(predictions, current)
          processes = current.candidate.processes
          same = predictions.select { |prediction| prediction.candidate.processes == processes }
          most = same.map(&:ceiling).max
          same.select { |prediction| prediction.ceiling >= NEARLY_ALL * most }
        end

        # The gain is the time that jobs take where fewer threads have nearly the same throughput.
        def more_gain(current, other)
          more = other.ceiling / current.ceiling - 1
          slots = other.candidate.slots.fdiv(current.candidate.slots)
          (slots < 1 && more > -TIE * 5) ? 1 - slots / (1 + more) : more
        end
      end
    end
  end
end
