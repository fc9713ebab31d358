# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # One of the two things that are compared: a span of time, settings, or both. Units of the first two
      # minutes of a process are kept apart: they load, fill caches and are compiled, which another number of
      # deployments makes more or less of.
      class Side
        # Settings with a smaller share of the units are remains of a deploy: they are counted, and not named.
        FEW = 0.01
        NS = 1_000_000_000

        # @return [String] what it is called
        attr_reader :label

        # @return [Integer] seconds since 1970
        attr_reader :from_s, :to_s

        # @param label [String]
        # @param windows [Enumerable<Window>] of all kinds of its processes
        # @param from_s [Integer]
        # @param to_s [Integer]
        # @param profiles [Enumerable<UnitSample>]
        # @param samples [Array<Hash{Symbol => Object}>] of processes
        # @param filter [UnitFilter] which units
        # @param coverage [MeasuredTime, nil] when such units were measured; nil: as far as windows tell
        def initialize(label:, windows:, from_s:, to_s:, profiles: [], samples: [], filter: UnitFilter.new(kind: :request),
          coverage: nil)
          @label = label
          @from_s = from_s
          @to_s = to_s
          @filter = filter
          @coverage = coverage
          @all = windows.to_a
          @every_profile = profiles.select { |profile|
            filter.series?(profile.series) && settings.include?(profile.setting)
          }
          @samples = samples.select { |sample| fingerprints.include?(sample[:setting]) }
        end

        # @return [Array<Hash>] of its processes
        attr_reader :samples

        # @return [Array<Setting>] most units first
        def settings
          @settings ||= begin
            units = chosen.group_by(&:setting).transform_values { |same| same.sum(&:count) }
            units.select { |_, count| count >= FEW * units.values.sum }.sort_by { |_, count| -count }.map(&:first)
          end
        end

        # @return [Array<Window>] of the units that are compared
        def windows
          warmed? ? parted.first : chosen
        end

        # @return [Array<Window>] of units in the first minutes of processes, which are left out
        def cold
          warmed? ? parted.last : []
        end

        # @return [Array<UnitSample>]
        def profiles
          @profiles ||= warmed? ? @every_profile.select { |profile| boots.warm_unit?(profile) } : @every_profile
        end

        # @return [Array<Window>] of everything else that these processes did: threads outside of units, other
        #   kinds of units
        def beside
          @beside ||= own.reject { |window| chosen?(window) || window.series.view? }.select { |window|
            !warmed? || warm?(window)
          }
        end

        # @return [Integer] units
        def units = windows.sum(&:count)

        # @return [Boolean] whether it is known of any unit how long it waited for a thread
        def queued?
          windows.any? { |window| window.histograms[:queued].count.positive? }
        end

        # @return [MeasuredTime, nil] when they were measured; nil where windows alone tell
        def coverage
          return unless @coverage
          @warm_coverage ||= cold.uniq(&:start_s).reduce(@coverage) { |rest, window|
            rest.without(window.start_s, window.end_s)
          }
        end

        # @return [Boolean] whether there are units beyond the first minutes; else these have to do
        def warmed? = parted.first.sum(&:count).positive?

        # @return [Boolean] whether anything tells when processes began
        def boots_known?
          @every_profile.any? || samples.any?
        end

        # @return [Integer] processes that are known to have taken these units, one after the other or
        #   together: by a sample, or by a unit alone
        def processes
          sampled = samples.map { |sample| sample.values_at(:host, :pid, :since_s) }
          (sampled | @every_profile.map { |profile|
            [profile.host, profile.process.pid,
              profile.process.since_ns / NS]
          }).size
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

        def own
          @all.select { |window| settings.include?(window.setting) }
        end

        def parted
          @parted ||= chosen.partition { |window| warm?(window) }
        end

        def warm?(window)
          boots.warm?(window.start_s, window.end_s)
        end

        def boots
          @boots ||= Analysis::ProcessBoots.new(@every_profile, samples)
        end

        def fingerprints
          @fingerprints ||= settings.map(&:fingerprint)
        end
      end
    end
  end
end
