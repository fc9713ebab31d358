# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # One of the two things that are compared: a span of time, settings, or both. Units of the first two
      # minutes of a process are left out: they load, fill caches and are compiled, and how many there are
      # depends on the number of deployments.
      class Side
        # Settings with a smaller share of the units are remains of a deployment: counted, but not named.
        FEW = 0.01
        NS = 1_000_000_000

        # @return [String]
        attr_reader :label

        # @return [Integer] seconds since 1970
        attr_reader :from_s, :to_s

        # @return [Array<Hash>] of its processes
        attr_reader :samples

        # @param label [String]
        # @param windows [Enumerable<Window>] of all kinds of its processes
        # @param from_s [Integer]
        # @param to_s [Integer]
        # @param profiles [Enumerable<UnitSample>]
        # @param samples [Array<Hash{Symbol => Object}>] of processes
        # @param filter [UnitFilter] which units
        # @param coverage [MeasuredTime, nil] when such units were measured; nil: only windows say it
        def initialize(label:, windows:, from_s:, to_s:, profiles: [], samples: [],
          filter: UnitFilter.new(kind: :request), coverage: nil)
          @label = label
          @from_s = from_s
          @to_s = to_s
          @filter = filter
          @coverage = coverage
          @all = windows.to_a
          @all_profiles = profiles.select do |profile|
            filter.series?(profile.series) && settings.include?(profile.setting)
          end
          @samples = samples.select { |sample| fingerprints.include?(sample[:setting]) }
        end

        # @return [Array<Setting>] most units first
        def settings
          @settings ||= begin
            units = chosen.group_by(&:setting).transform_values { |same| same.sum(&:count) }
            named = units.select { |_, count| count >= FEW * units.values.sum }
            named.sort_by { |_, count| -count }.map(&:first)
          end
        end

        # @return [Array<Window>] of the units that are compared
        def windows
          warmed? ? warm_and_cold.first : chosen
        end

        # @return [Array<Window>] of units in the first minutes of processes, which are left out
        def cold
          warmed? ? warm_and_cold.last : []
        end

        # @return [Array<UnitSample>]
        def profiles
          @profiles ||= if warmed?
            @all_profiles.select { |profile| boots.warm_unit?(profile) }
          else
            @all_profiles
          end
        end

        # @return [Array<Window>] of everything else that these processes did: threads outside of units, and
        #   other kinds of units
        def other_windows
          @other_windows ||= begin
            windows = @all.select { |window| settings.include?(window.setting) }
            others = windows.reject { |window| chosen?(window) || window.series.view? }
            warmed? ? others.select { |window| warm?(window) } : others
          end
        end

        # @return [Integer] units
        def units = windows.sum(&:count)

        # @return [Boolean] whether the time in the queue is known of any unit
        def queued?
          windows.any? { |window| window.histograms[:queued].count.positive? }
        end

        # @return [MeasuredTime, nil] when they were measured; nil where only windows say it
        def coverage
          return unless @coverage
          @warm_coverage ||= cold.uniq(&:start_s).reduce(@coverage) do |rest, window|
            rest.without(window.start_s, window.end_s)
          end
        end

        # @return [Boolean] whether there are units after the first minutes; if not, all units count
        def warmed? = warm_and_cold.first.sum(&:count).positive?

        # @return [Boolean] whether it is known when processes began
        def boots_known?
          @all_profiles.any? || samples.any?
        end

        # @return [Integer] processes that took these units at any time, known from samples or from single
        #   units
        def processes
          sampled = samples.map { |sample| sample.values_at(:host, :pid, :since_s) }
          profiled = @all_profiles.map do |profile|
            [profile.host, profile.process.pid, profile.process.since_ns / NS]
          end
          (sampled | profiled).size
        end

        # @return [Boolean] whether some of the processes' units are left out
        def narrow?
          !!(@filter.name || @filter.queue)
        end

        private

        def chosen
          @chosen ||= @all.select { |window| chosen?(window) }
        end

        def chosen?(window)
          window.series.unit? && window.count.positive? && @filter.series?(window.series)
        end

        def warm_and_cold
          @warm_and_cold ||= chosen.partition { |window| warm?(window) }
        end

        def warm?(window)
          boots.warm?(window.start_s, window.end_s)
        end

        def boots
          @boots ||= ProcessBoots.new(@all_profiles, samples)
        end

        def fingerprints
          @fingerprints ||= settings.map(&:fingerprint)
        end
      end
    end
  end
end
