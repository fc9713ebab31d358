# frozen_string_literal: true

module Holdup
  module Advise
    # Reads a span of the store for advice and what-if. It reads only the part that has units of the kind, so
    # any span around that part gives the same result.
    class Reader
      # Levers are recorded once an hour and when first seen; a thinned or short span may have none.
      LEVERS_S = 2 * 3600
      UNITS = Sizing::ThreadPools::KINDS
      # Longest recording => length in seconds of the windows to read. Single units show the minutes inside.
      WINDOWS_S = {3 * 3600 => 60, 36 * 3600 => 300, 14 * 86_400 => 3600, Float::INFINITY => 86_400}.freeze
      # The windows of more hosts, or of more intervals in all, are read added up, and the next longer ones: a
      # thousand processes have millions of windows in a day, and four hosts a hundred thousand.
      MANY_HOSTS = Queries::HeapCountsQuery::MANY_HOSTS
      MANY_INTERVALS = MANY_HOSTS * 120
      LONGER_S = {60 => 300, 300 => 3600, 3600 => 86_400, 86_400 => 86_400}.freeze
      # Of more than these (a hundred endpoints in a day) the next longer ones are read, up to hours: single
      # units, of every third ten minutes at least, show the minutes inside. Longer recordings have fewer.
      MANY_WINDOWS = 10_000
      TIMES = %i[wall running stalled idle queued].freeze

      # @return [String, nil] the group of job threads to size, when several share a process
      attr_reader :pool

      # @param given [Hash] limits that the user gave: vcpus, memory_limit_bytes, connections
      # @param factor [Float] multiplies the load
      # @param warm_up_s [Integer, nil] seconds after a boot that do not count; nil: as the recording shows
      # @param setting [String, nil] fingerprint of the only setting that counts
      # @param cpus [Integer] that replays may use
      # @param pool [String, nil] the group of job threads to size, when several share a process
      # @param needed [#call, nil] see LoadSummary.call; nil: what the recommendation needs
      def initialize(store, from_s:, to_s:, kind:, objective:, given: {}, factor: 1.0,
        warm_up_s: nil, setting: nil, pool: nil,
        cpus: Sizing::Replay.half_of_cpus, &needed)
        @asked = {from_s:, to_s:}
        @kind = kind
        @objective = objective
        @given = given
        @factor = factor
        @warm_up_s = warm_up_s
        @fingerprint = setting
        @pool = pool
        @cpus = cpus
        needed ||= ->(_summary) { [] }
        store.snapshot do
          @summary = Queries::LoadSummary.complete(read(store), needed) { |name| part(name, store) }
        end
      end

      # @return [Analysis::Summary] of this kind of units
      attr_reader :summary

      # Recent samples of the processes that run such units, with all their levers.
      def lately
        processes = Analysis::ProcessReport.new(@lately, from_s: @span.to_s - LEVERS_S,
          to_s: @span.to_s + MINUTE_S)
        takers = processes.members.select { |member| member.takes?(@kind) }.to_set(&:identity)
        @lately.select { |sample| takers.include?(sample.values_at(:host, :pid, :start)) }
      end

      # Nil without units.
      def recommendation
        return @recommendation if defined?(@recommendation)
        @recommendation = summary.empty? ? nil : recommend
      end

      # One for each setting of this kind of units, most units first.
      def recordings
        recordings = Setting.alike(@windows).map { |same| recording_of(same) }
        recordings.select(&:setting).sort_by { |each| -each.units }
      end

      private

      def recommend
        bias = Sizing::PredictionBias.of(@outcomes, recording)
        Sizing::Recommendation.new(recording, limits:, objective: @objective, factor: @factor, bias:,
          cpus: @cpus)
      end

      # Samples before windows, because they decide which windows are read.
      # @return [Analysis::Summary] with the parts that the recommendation needs
      def read(store)
        settings = @fingerprint && store.settings.select { |setting| setting.fingerprint == @fingerprint }
        @span = Queries::RecordedInterval.call(store, **@asked, kinds: [@kind], settings:) ||
          Queries::RecordedInterval::Interval.new(**@asked)
        from_s, to_s = @span.to_h.values
        sums = store.sums(from_s, to_s, kinds: Queries::LoadSummary.kinds(:name)).map(&:window)
        @sums = wanted(sums)
        @names = Analysis::HeapGrowth.most_frequent(sums.select { |sum| UNITS.include?(sum.series.kind) })
        @coverage = Queries::MeasuredTimeQuery.call(store, **@asked, kinds: [@kind], settings:)
        @samples = of_setting(samples(store))
        @windows = wanted(windows(store, from_s, to_s, names: sums.map(&:series).uniq.size))
        sampled_s = [@coverage.from_s&.floor, from_s].compact.min
        hosts = [number_of_hosts, 1].max
        @unit_samples = Queries::RecordedInterval::UnitSampleQuery.call(store, sampled_s, to_s, hosts:)
        @arrivals = ArrivalQuery.call(store, sampled_s, to_s, hosts:)
        @lately = of_setting(store.processes(to_s - LEVERS_S, to_s + MINUTE_S))
        @outcomes = store.outcomes
        Analysis::Summary.new(@sums, **@span.to_h, filter: Analysis::UnitFilter.new(kind: @kind),
          **Analysis::SummaryParts.unread, samples: @samples, coverage: @coverage)
      end

      # @return [Hash{Symbol => Object}] of Analysis::SummaryParts
      def part(name, store)
        from_s, to_s = @span.to_h.values
        case name
        when :calls then {calls: sums(store, :call)}
        when :transactions then {transactions: sums(store, :transaction, :transaction_call)}
        when :repeats then {repeats: sums(store, :repeat)}
        when :holding_methods then {holding_methods: sums(store, :method)}
        when :heap_counts
          counted = Queries::HeapCountsQuery.call(store, from_s:, to_s:, names: @names)
          {heap_counts: counted.with(samples: of_setting(counted.samples))}
        when :under_load then {under_load: Queries::LoadSummary.under_load(store, **@asked)}
        when :pairs then {pairs: sums(store, :pair)}
        when :connection_pairs then {connection_pairs: sums(store, :pool_pair)}
        when :locks then {locks: sums(store, :lock_pair, :lock_place)}
        else raise ArgumentError, "advice has no part #{name}"
        end
      end

      def sums(store, *kinds) = wanted(store.sums(*@span.to_h.values, kinds:).map(&:window))

      def windows(store, from_s, to_s, names:)
        intervals = number_of_hosts * (to_s - from_s) / window_s
        if number_of_hosts <= MANY_HOSTS && intervals <= MANY_INTERVALS
          many = names * intervals > MANY_WINDOWS
          seconds = (many && window_s < HOUR_S) ? LONGER_S.fetch(window_s) : window_s
          return store.windows(from_s, to_s, seconds:, kinds:, histograms: [])
        end
        step_s = LONGER_S.fetch(window_s)
        store.sums(from_s, to_s, step_s:, kinds:, histograms: TIMES).map(&:window)
      end

      def number_of_hosts
        @number_of_hosts ||= @samples.map { |sample| sample[:host] }.uniq.size
      end

      def window_s
        WINDOWS_S.find { |longest_s, _| @span.to_s - @span.from_s <= longest_s }.last
      end

      # Samples come once a minute for each process, so the nearest ones outside are within a minute.
      def samples(store)
        every_s = Analysis::ProcessReport.every_s(*@span.to_h.values)
        store.processes(@span.from_s - MINUTE_S, @span.to_s + MINUTE_S + 1, **{every_s:}.compact)
      end

      def wanted(windows)
        @fingerprint ? windows.select { |window| window.setting&.fingerprint == @fingerprint } : windows.to_a
      end

      # Samples of containers have no setting.
      def of_setting(samples)
        @fingerprint ? samples.select { |sample| [nil, @fingerprint].include?(sample[:setting]) } : samples
      end

      def recording
        @recording ||= recording_of(@windows)
      end

      # When requests and jobs share processes, each is needed to understand the other.
      def kinds
        return [*UNITS, :account, :pool] if shared?
        (@kind == :job) ? [:job, :account, :pool] : [@kind, :account]
      end

      def shared?
        return @shared unless @shared.nil?
        members = Analysis::ProcessReport.new(@samples, **@span.to_h).members
        @shared = members.any? { |member| UNITS.all? { |kind| member.takes?(kind) } }
      end

      def recording_of(windows)
        Sizing::Recording.of(windows:, unit_samples: @unit_samples, samples: @samples, kind: @kind,
          arrivals: @arrivals, vcpus: @given[:vcpus] || machine&.vcpus, warm_up_s: @warm_up_s,
          members: summary.processes.members, pool: @pool, shared: shared?)
      end

      def machine
        summary.processes.smallest_machine
      end

      # @return [Sizing::ResourceLimits::OtherCpus]
      def others
        return Sizing::ResourceLimits::OtherCpus::NONE unless machine
        known = recorded_others
        return known unless machine.vcpus && recording.demand
        served = recording.most_served
        used = served * (recording.demand.cpu_ns + recording.demand.native_ns) / NS
        known.within([machine.vcpus - used, 0.0].max, rate: served)
      end

      def recorded_others
        intervals = summary.processes.other_cpus(machine.host)
        # Units that came before or after were not read.
        intervals = intervals.select { |one| one.from_s >= @span.from_s && one.to_s <= @span.to_s }
        units = @unit_samples.select { |unit| unit.host == machine.host && unit.series.kind == @kind }
        spans = Sizing::ResourceLimits::OtherCpus.spans(intervals, units)
        return Sizing::ResourceLimits::OtherCpus.always(machine.other_cpus) if spans.empty?
        Sizing::ResourceLimits::OtherCpus.of(spans)
      end

      def limits
        Sizing::ResourceLimits.of(machine, processes: recording.processes, hosts: recording.hosts,
          others:, pool: recording.setting["db_pool"], outside: summary.connections.outside_mean,
          other_connections:, **setting_limits, **@given.compact)
      end

      # Connections of the other kind in the same processes belong to the setting.
      def other_connections
        shared = recording.hosts * recording.processes * recording.pools.concurrent_threads.sum
        [summary.processes.connections.of_other_kinds(@kind) - shared, 0].max
      end

      # For recordings without samples of the container.
      def setting_limits
        machine&.vcpus ? {} : {vcpus: recording.setting["vcpus"]}
      end

      # Reads when units came: of many hosts and hours, of every nth ten minutes.
      module ArrivalQuery
        # Minutes of hosts: a day of ten hosts.
        MOST = 15_000

        module_function

        # @param hosts [Integer] that have units, roughly
        # @return [Array<ArrivalBlock>]
        def call(store, from_s, to_s, hosts: 1)
          from_s = [from_s, to_s - ArrivalBlock::KEEP_S].max
          nth = (hosts * (to_s - from_s) / MINUTE_S).ceildiv(MOST)
          return store.arrivals(from_s, to_s) if nth <= 1
          starts = (from_s...to_s).step(nth * SampleBlock::SECONDS)
          starts.flat_map { |start_s| store.arrivals(start_s, [start_s + SampleBlock::SECONDS, to_s].min) }
        end
      end

      # The setting and the group of threads (capsule, worker) that ran most jobs of a queue.
      class QueueOwner
        # @raise [UsageError] when no job of that queue was recorded
        def initialize(store, from_s:, to_s:, queue:)
          @queue = queue
          jobs = store.windows(from_s, to_s, kinds: [:job]).to_a
          pools = store.windows(from_s, to_s, kinds: [:pool])
          @jobs = of_queue(jobs)
          @pools = of_queue(pools)
          return if @jobs.any?
          fix, names = hint(jobs)
          raise View::InputError.new(:no_job_of_queue, fix, queue: queue[0, 100].inspect, names:)
        end

        # Fingerprint of the setting with most jobs.
        def setting
          most_units(@jobs) { |window| window.setting&.fingerprint }
        end

        # Name of the group with most jobs; nil while unknown.
        def pool
          same_setting = @pools.select { |window| window.setting&.fingerprint == setting }
          most_units(same_setting) { |window| window.series.name }
        end

        private

        def of_queue(windows)
          windows.select { |window| window.series.queue == @queue }
        end

        def most_units(windows, &)
          windows.group_by(&).max_by { |_, same| same.sum(&:count) }&.first
        end

        def hint(jobs)
          known = jobs.filter_map { |window| window.series.queue }.uniq.sort
          return :no_queue if known.empty?
          names = Queries::OptionValues::NearestName.spelled(@queue, known)
          names.any? ? [:did_you_mean, names] : [:there_were, known.first(10).join(", ")]
        end
      end
    end
  end
end
