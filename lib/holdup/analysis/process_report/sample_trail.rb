# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # The samples of one process or container in the order of time, as figures. A figure comes from the
      # samples that have it, and is nil where none has.
      class SampleTrail
        NS = 1_000_000_000
        # A pid may be used again, but not with the same start.
        IDENTITY = %i[host pid start].freeze
        # In place of the pid.
        CONTAINER = 0

        # @param sample [Hash{Symbol => Object}]
        # @return [Boolean] whether it is of a container, not of a process
        def self.container?(sample)
          sample[:pid].equal?(CONTAINER)
        end

        # @param samples [Array<Hash{Symbol => Object}>] of many
        # @return [Hash{Array => Array<Hash>}] those of each process or container by its IDENTITY, in their
        #   order
        def self.by_process(samples)
          samples.group_by { |sample| sample.values_at(*IDENTITY) }
        end

        # @param samples [Array<Hash{Symbol => Object}>] of many, in the order of time
        # @return [Array<SampleTrail>] one for each process or container
        def self.all(samples)
          by_process(samples).values.map { |same| new(same) }
        end

        # @param samples [Array<Hash{Symbol => Object}>] at least one
        def initialize(samples)
          @samples = samples
        end

        # @return [Object, nil] as last known
        def [](key)
          @samples.reverse_each.find { |sample| sample.key?(key) }&.fetch(key)
        end

        # @return [Array] see IDENTITY
        def identity
          IDENTITY.map { |key| self[key] }
        end

        # @return [Integer] seconds since 1970
        def first_s = @samples.first[:at_s]

        # @return [Integer] seconds since 1970
        def last_s = @samples.last[:at_s]

        # @param keys [Array<Symbol>]
        # @return [Array<Array>] at_s and their values, of the samples that have all of them
        def points(*keys)
          complete = @samples.select { |sample| keys.all? { |key| sample[key] } }
          complete.map { |sample| sample.values_at(:at_s, *keys) }
        end

        # @return [Array<SampleTrail>] two successive samples each
        def pairs
          @samples.each_cons(2).map { |pair| SampleTrail.new(pair) }
        end

        # @param second [Integer]
        # @return [SampleTrail, nil] the samples from then on
        def since(second)
          later = @samples.select { |sample| sample[:at_s] >= second }
          SampleTrail.new(later) if later.any?
        end

        # @return [Integer, nil] second of the first sample with that value
        def first_with(key, value)
          @samples.find { |sample| sample[key] == value }&.fetch(:at_s)
        end

        # @param key [Symbol] a number
        # @param second [Integer]
        # @return [Float, nil] its value then, interpolated between two samples; nil before the first and
        #   after the last
        def at(key, second)
          before, after = points(key).each_cons(2).find do |earlier, later|
            second.between?(earlier.first, later.first)
          end
          return unless before
          share = (second - before.first).fdiv(after.first - before.first)
          before.last + (after.last - before.last) * share
        end

        # A counter may fall when what it counted is gone (a thread, rounding): that adds nothing.
        # @return [Integer, nil] by how much it grew; nil with less than two samples
        def grown(key)
          values = values(key)
          values.each_cons(2).sum { |before, now| [now - before, 0].max } if values.size > 1
        end

        # @param key [Symbol] a counter of nanoseconds
        # @return [Float, nil] how much it grew in each second, in seconds
        def rate(key)
          first, last = known(key).minmax_by { |sample| sample[:at_s] }
          grown(key).fdiv((last[:at_s] - first[:at_s]) * NS) if first && last[:at_s] > first[:at_s]
        end

        # @param key [Symbol] a counter of nanoseconds that the process writes at its ticks once it is above
        #   zero
        # @param born [Boolean] whether the process began in the span, and so at zero
        # @return [Float, nil] how much it grew in each second between ticks, in seconds
        def ticked_rate(key, born: false)
          return unless @samples.any? { |sample| sample[key] && sample[:ticked_ns] }
          ticks = known(:ticked_ns).map { |sample| [sample[:ticked_ns], sample[key].to_i] }
          ticks.unshift([self[:since_s] * NS, 0]) if born && self[:since_s]
          length_ns = ticks.last.first - ticks.first.first
          grown_ns = ticks.each_cons(2).sum { |(_, before), (_, now)| [now - before, 0].max }
          grown_ns.fdiv(length_ns) if length_ns.positive?
        end

        # @return [SampleTrail, nil] the samples with that value
        def with(key, value)
          same = @samples.select { |sample| sample[key] == value }
          SampleTrail.new(same) if same.any?
        end

        # The last sample of a process that has ended has idle gauges, so it does not count.
        # @return [Float, nil]
        def mean(key)
          alive = known(key).reject { |sample| sample[:ended] }
          alive.sum { |sample| sample[key] }.fdiv(alive.size) if alive.any?
        end

        # @return [Integer, nil]
        def median(key)
          values = values(key).sort
          values[values.size / 2]
        end

        # @return [Integer, nil]
        def max(key) = values(key).max

        private

        def values(key)
          known(key).map { |sample| sample[key] }
        end

        def known(key)
          @samples.select { |sample| sample[key] }
        end
      end
    end
  end
end
