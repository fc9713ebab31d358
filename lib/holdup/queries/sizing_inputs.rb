# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of the store and makes of it what advice and what-if start from. Of the span only the part
    # with such units is read: the answer is the same whatever else was asked for.
    class SizingInputs
      # Levers are told once an hour, and at first sight; a thinned or short span may have none of them.
      LEVERS_S = 2 * 3600
      UNITS = Sizing::ThreadPools::KINDS
      # Longer recordings are read in longer windows, of whose minutes single units tell.
      WINDOWS_S = {3 * 3600 => 60, 36 * 3600 => 300, 14 * 86_400 => 3600, Float::INFINITY => 86_400}.freeze
      MINUTE_S = Analysis::ProcessReport::EVERY_S

      # @param store [Store::Sql]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param kind [Symbol]
      # @param objective [Sizing::Objective]
      # @param given [Hash] what the user says of the limits: vcpus, memory_limit_bytes, connections
      # @param factor [Float] of the load
      # @param warm_up_s [Integer] after a boot, that don't count
      # @param setting [String, nil] fingerprint of the only one that counts
      # @param pool [String, nil] of threads that run jobs: the one that is sized where several share a
      #   process
      def initialize(store, from_s:, to_s:, kind:, objective:, given: {}, factor: 1.0,
        warm_up_s: Analysis::ProcessBoots::WARM_UP_S, setting: nil, pool: nil)
        @asked = {from_s:, to_s:}
        @kind = kind
        @objective = objective
        @given = given
        @factor = factor
        @warm_up_s = warm_up_s
        @fingerprint = setting
        @pool = pool
        read(store)
      end

      # @return [Array<Hash>] samples of the processes that take such units, which have their levers for sure
      def lately
        processes = Analysis::ProcessReport.new(@lately, from_s: @span.to_s - LEVERS_S,
          to_s: @span.to_s + MINUTE_S)
        takers = processes.members.select { |member| member.takes?(@kind) }.map(&:identity)
        @lately.select { |sample| takers.include?(sample.values_at(:host, :pid, :start)) }
      end

      # @return [Analysis::Summary] of this kind of units
      def summary
        @summary ||= Analysis::Summary.new(@sums, **@span.to_h, samples: @samples, stalls: @stalls,
          filter: Analysis::UnitFilter.new(kind: @kind), coverage: @coverage, loaded: @loaded)
      end

      # @return [Sizing::Recommendation, nil] nil when there were no units at all
      def recommendation
        return @recommendation if defined?(@recommendation)
        @recommendation = summary.empty? ? nil : Sizing::Recommendation.new(observation, limits:,
          objective: @objective, factor: @factor, bias: Sizing::PredictionBias.of(@outcomes, observation))
      end

      # @return [Array<Sizing::Observation>] one for each setting that units of this kind ran under, most
      #   units first
      def observations
        Setting.alike(@windows).map { |same| observe(same) }.reject { |each| each.setting.nil? }.sort_by { |each|
          -each.units
        }
      end

      private

      # Samples before windows: they tell which of these are wanted.
      def read(store)
        settings = @fingerprint && store.settings.select { |setting| setting.fingerprint == @fingerprint }
        @span = RecordedInterval.call(store, **@asked, kinds: [@kind], settings:) || RecordedInterval::Interval.new(**@asked)
        span = @span.to_h.values
        @sums = wanted(store.sums(*span, kinds: LoadSummary.kinds(:name)).map(&:window))
        @stalls = -> { wanted(store.stalls(*span, kinds: Series::KINDS - Series::VIEWS)) }
        @coverage = MeasuredTimeQuery.call(store, **@asked, kinds: [@kind], settings:)
        @loaded = LoadSummary.loaded(store, **@asked)
        @samples = of_setting(samples(store))
        @windows = wanted(store.windows(*span, seconds: window_s, kinds:, histograms: []))
        @profiles = UnitSampleQuery.call(store, [@coverage.from_s&.floor, @span.from_s].compact.min,
          @span.to_s)
        @lately = of_setting(store.processes(@span.to_s - LEVERS_S, @span.to_s + MINUTE_S))
        @outcomes = store.outcomes
      end

      def window_s
        WINDOWS_S.find { |longest_s, _| @span.to_s - @span.from_s <= longest_s }.last
      end

      # There is one a minute of each process, so the nearest ones outside are within a minute.
      def samples(store)
        every_s = Analysis::ProcessReport.every_s(*@span.to_h.values)
        store.processes(@span.from_s - MINUTE_S, @span.to_s + MINUTE_S + 1, **{every_s:}.compact)
      end

      def wanted(windows)
        @fingerprint ? windows.select { |window| window.setting&.fingerprint == @fingerprint } : windows.to_a
      end

      # Those of containers have none.
      def of_setting(samples)
        @fingerprint ? samples.select { |sample| [nil, @fingerprint].include?(sample[:setting]) } : samples
      end

      def observation = @observation ||= observe(@windows)

      # Where requests and jobs share processes, one is not understood without the other.
      def kinds
        shared? ? [*UNITS, :account, :pool] : [@kind, :account, *(:pool if @kind == :job)]
      end

      def shared?
        return @shared unless @shared.nil?
        members = Analysis::ProcessReport.new(@samples, **@span.to_h).members
        @shared = members.any? { |member| UNITS.all? { |kind| member.takes?(kind) } }
      end

      def observe(windows)
        found = recording(windows, @kind)
        Sizing::Observation.new(found, kind: @kind, members: summary.processes.members, pool: @pool, other: (if shared?
                                                                                                               other(windows, found.fingerprints)
                                                                                                             end))
      end

      def other(windows, fingerprints)
        kind = (UNITS - [@kind]).first
        same = windows.select { |window| fingerprints.include?(window.setting&.fingerprint) }
        Sizing::Observation.new(recording(same, kind), kind:, members: summary.processes.members)
      end

      def recording(windows, kind)
        Sizing::Recording.new(windows:, profiles: @profiles, samples: @samples, kind:,
          vcpus: @given[:vcpus] || machine&.vcpus, warm_up_s: @warm_up_s)
      end

      def machine = summary.processes.smallest_machine

      def limits
        Sizing::ResourceLimits.of(machine, processes: observation.processes, hosts: observation.hosts, pool: observation.setting["db_pool"],
          outside: summary.connections.outside_mean, other_connections:, **setting_limits, **@given.compact)
      end

      # Those of the other kind in the same processes are the setting's own.
      def other_connections
        shared = observation.hosts * observation.processes * observation.pools.concurrent_threads.sum
        [summary.processes.connections.beside(@kind) - shared, 0].max
      end

      # Where no collector sampled the container.
      def setting_limits
        machine&.vcpus ? {} : {vcpus: observation.setting["vcpus"]}
      end
    end
  end
end
