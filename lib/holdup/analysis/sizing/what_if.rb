# frozen_string_literal: true

require_relative "recommendation"

module Holdup
  module Analysis
    module Sizing
      # Something else than what is, beside it: another setting, another load, an endpoint less, fewer acquisitions. The same units
      # are counted on both sides, so an endpoint that is taken away does not make the others look better by its own times.
      class WhatIf
        # What would be different; nil and 1.0 are "as it is".
        # - `without`, `halved`: globs of names; `factor`: of the recorded load
        Change = Data.define(:threads, :processes, :time_slice_ns, :vcpus, :factor, :without, :halved) do
          def initialize(threads: nil, processes: nil, time_slice_ns: nil, vcpus: nil, factor: 1.0, without: nil, halved: nil) = super

          # @param name [String]
          # @return [Boolean]
          def removes?(name) = !without.nil? && File.fnmatch?(without, name)

          # @param name [String]
          # @return [Boolean]
          def halves?(name) = !halved.nil? && File.fnmatch?(halved, name)

          # @return [Candidate]
          def candidate(now) = now.with(**{threads:, processes:, time_slice_ns:}.compact)
        end

        UNITS = Traffic::UNITS / 2
        # One further acquisition, and the shortest idle time, stay.
        LEAST = 1

        # @param recommendation [Recommendation]
        # @param change [Change]
        # @param rounds [Integer] of the bootstrap
        # @param seed [Integer]
        def initialize(recommendation, change, rounds: 20, seed: 1)
          @base = recommendation
          @change = change
          @rounds = rounds
          @seed = seed
        end

        # @return [Prediction]
        def before = sides.first

        # @return [Prediction]
        def after = sides.last

        # @return [Float] of queued + stalled at the percentile, as a share of the response
        def gain = @base.objective.gain(before, after)

        # @return [Range<Float>] 90 %
        def interval
          @interval ||= Bootstrap.new(traffic, rounds: @rounds, seed: @seed).interval { |part, seed| @base.objective.gain(*compare(part, seed, UNITS)) }
            .then { |range| [range.begin, gain].min..[range.end, gain].max }
        end

        # @return [Integer] units that were recorded of what changes; 0: no such name
        def touched = traffic.profiles.count { |profile| @change.removes?(profile.series.name) || @change.halves?(profile.series.name) }

        # @return [Demand] after the change
        def demand = @demand ||= scaled(traffic, changed(traffic))

        private

        def traffic = @base.traffic

        def sides = @sides ||= compare(traffic, @seed, Traffic::UNITS)

        def compare(part, seed, units)
          rate = @base.rate * part.mean_rate / traffic.mean_rate
          other = changed(part)
          later = rate * @change.factor * other.mean_rate / part.mean_rate
          [before_of(part, seed, rate, units), @base.forecast(demand:, rate: later, limits:).call(@change.candidate(@base.now), other.peak(seed:, rate: later, units:), force: true)]
        end

        def before_of(part, seed, rate, units)
          trace = part.peak(seed:, rate:, units:)
          @base.forecast(rate:).call(@base.now, trace, force: true, counted: @change.without && staying(part.drawn(seed:, rate:, units:)))
        end

        def staying(profiles) = profiles.each_index.reject { |index| @change.removes?(profiles[index].series.name) }

        def limits = @change.vcpus ? @base.limits.with(vcpus: @change.vcpus) : @base.limits

        def changed(part)
          return part unless @change.without || @change.halved
          part.map { |profile| halve(profile) unless @change.removes?(profile.series.name) }
        end

        def halve(profile)
          return profile unless @change.halves?(profile.series.name)
          profile.with(acquisitions: [profile.acquisitions / 2, LEAST].max)
        end

        # What formulas start from changes as the means of the units do.
        def scaled(before, after)
          held, idle, acquisitions = %i[running_ns idle_ns acquisitions].map { |field| after.mean_of(field) / [before.mean_of(field), 1].max }
          now = @base.recording.demand
          now.with(held_ns: now.held_ns * held, cpu_ns: now.cpu_ns * held, idle_ns: now.idle_ns * idle, acquisitions: now.acquisitions * acquisitions)
        end
      end
    end
  end
end
