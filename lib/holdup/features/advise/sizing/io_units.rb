# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Requests that mostly wait, and keep threads from others meanwhile. A server that runs marked requests
      # beyond its threads (Puma 8's max_io_threads) adds no stall, unlike more threads for all.
      class IoUnits
        # IDLE is a share of the request's own time, OCCUPIES of the time of all threads.
        IDLE = 0.8
        OCCUPIES = 0.2
        # Twice the mean number at the peak: they come in clusters.
        ROOM = 2

        # Whether such requests are worth threads of their own.
        def self.wait?(idle_share, occupied_share)
          idle_share.to_f >= IDLE && occupied_share >= OCCUPIES
        end

        # Little's law: threads beyond the others.
        # @param wall_ns [Numeric] of one
        def self.threads(rate, wall_ns)
          [(ROOM * rate * wall_ns / NS).ceil, 1].max
        end

        def initialize(unit_samples)
          @unit_samples = unit_samples
        end

        # @return [String, nil] name of those that occupy most; nil if none wait that much
        def name = most&.first

        # Each candidate with threads for them; empty if there are none.
        def candidates(candidates, rate)
          return [] unless most
          candidates.map { |one|
            one.with(io_threads: self.class.threads(rate * share / one.processes, wall_ns))
          }
        end

        def marked(trace, unit_samples)
          units = trace.units.zip(unit_samples).map do |unit, unit_sample|
            unit.with(io: unit_sample.series.name == name)
          end
          Trace.new(units, concurrent_units: trace.concurrent_units)
        end

        private

        def waits?(units)
          own_ns = sum(units) { |unit| unit.idle_ns + unit.running_ns }
          occupied_share = sum(units, &:wall_ns) / sum(@unit_samples, &:wall_ns)
          self.class.wait?(sum(units, &:idle_ns) / own_ns, occupied_share)
        end

        def most
          return @most if defined?(@most)
          @most = @unit_samples.group_by { |unit_sample| unit_sample.series.name }
            .select { |_, same| waits?(same) }
            .max_by { |_, same| sum(same, &:wall_ns) }
        end

        def share
          weight(most.last) / weight(@unit_samples)
        end

        def wall_ns
          sum(most.last, &:wall_ns) / weight(most.last)
        end

        def weight(some)
          sum(some) { 1 }
        end

        def sum(some)
          some.sum(0.0) { |unit_sample| yield(unit_sample) * unit_sample.weight }
        end
      end
    end
  end
end
