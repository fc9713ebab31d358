# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # The samples of one process or container in order of time, as figures. A figure comes from the samples
      # that have it, and is nil where none has.
      class SampleTrail
        # A pid may be used again, but not with the same start.
        IDENTITY = %i[host pid start].freeze
        # Pid in samples of a container.
        CONTAINER = 0

        def self.container?(sample)
          sample[:pid].equal?(CONTAINER)
        end

        # Samples of each process or container by its IDENTITY, in their order.
        def self.by_process(samples)
          samples.group_by { |sample| sample.values_at(*IDENTITY) }
        end

        # @param samples [Array<Hash{Symbol => Object}>] of many, in order of time
        def self.all(samples)
          by_process(samples).values.map { |same| new(same) }
        end

        # @param samples [Array<Hash{Symbol => Object}>] at least one
        def initialize(samples)
          @samples = samples
          @points = {}
        end

        def [](key)
          @samples.reverse_each { |sample| return sample[key] if sample.key?(key) }
          nil
        end

        def identity
          IDENTITY.map { |key| self[key] }
        end

        def first_s = @samples.first[:at_s]

        def last_s = @samples.last[:at_s]

        # Leaves out the last sample of a process that ended under another setting: an embedded job runner
        # stops before its process does, and its threads are gone then.
        # @return [SampleTrail]
        def running
          *before, last = @samples
          return self unless last[:ended] && before.any? && before.last[:setting] != last[:setting]
          SampleTrail.new(before)
        end

        # @return [Array<Array>] at_s and the keys' values, of the samples that have all of them
        def points(*keys)
          @points[keys] ||= begin
            complete = @samples.select { |sample| keys.all? { |key| sample[key] } }
            complete.map { |sample| sample.values_at(:at_s, *keys) }
          end
        end

        # Two successive samples each.
        def pairs
          @samples.each_cons(2).map { |pair| SampleTrail.new(pair) }
        end

        def since(second)
          later = @samples.select { |sample| sample[:at_s] >= second }
          SampleTrail.new(later) if later.any?
        end

        # Second of the first sample with that value.
        def first_with(key, value)
          @samples.find { |sample| sample[key] == value }&.fetch(:at_s)
        end

        # The value at that second, interpolated between samples; nil before the first and after the last.
        def at(key, second)
          points = points(key)
          index = points.bsearch_index { |at_s, _| at_s >= second }
          return if index.nil? || points.one? || points.first.first > second
          before, after = points[[index - 1, 0].max, 2]
          share = (second - before.first).fdiv(after.first - before.first)
          before.last + (after.last - before.last) * share
        end

        # Growth of a counter between two seconds, as far as there are samples of them; 0 without.
        def grown_between(key, from_s, to_s)
          known = points(key).map(&:first).minmax
          return 0 unless known.first
          before, after = [from_s, to_s].map { |second| at(key, second.clamp(*known)) }
          before ? after - before : 0
        end

        # Growth of a counter; nil with less than two samples. A fall (a thread ended, rounding) adds nothing.
        def grown(key)
          known = known(key)
          growth(known, key) if known.size > 1
        end

        # How much a counter of ns grew in each second, in seconds.
        def rate(key)
          known = known(key)
          return if known.empty?
          length_s = known.last[:at_s] - known.first[:at_s]
          growth(known, key).fdiv(length_s * NS) if length_s.positive?
        end

        # The same for a counter that the process writes at its ticks, once it is above zero.
        # @param born [Boolean] whether the process began in the span, and so at zero
        def ticked_rate(key, born: false)
          return unless @samples.any? { |sample| sample[key] && sample[:ticked_ns] }
          ticks = known(:ticked_ns).map { |sample| [sample[:ticked_ns], sample[key].to_i] }
          ticks.unshift([self[:since_s] * NS, 0]) if born && self[:since_s]
          length_ns = ticks.last.first - ticks.first.first
          grown_ns = ticks.each_cons(2).sum { |(_, before), (_, now)| [now - before, 0].max }
          grown_ns.fdiv(length_ns) if length_ns.positive?
        end

        def with(key, value)
          same = @samples.select { |sample| sample[key] == value }
          SampleTrail.new(same) if same.any?
        end

        # The last sample of a process that has ended has idle gauges, so it does not count.
        def mean(key)
          alive = known(key).reject { |sample| sample[:ended] }
          alive.sum { |sample| sample[key] }.fdiv(alive.size) if alive.any?
        end

        def median(key)
          values = values(key).sort
          values[values.size / 2]
        end

        def max(key) = values(key).max

        private

        def values(key)
          known(key).map { |sample| sample[key] }
        end

        def growth(samples, key)
          samples.each_cons(2).sum { |before, now| [now[key] - before[key], 0].max }
        end

        def known(key)
          @samples.select { |sample| sample[key] }
        end
      end
    end
  end
end
