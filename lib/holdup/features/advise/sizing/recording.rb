# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The recording of one kind of units under one setting, as a Recommendation replays it: what the units
      # ask for on CPUs without other work, when they came, how they are deployed, and the figures that a
      # self-test compares its replays with.
      class Recording
        # A shorter part of a minute does not show its load.
        LEAST_S = 5
        # Standard deviation of what a window has of other minutes: any time up to the ten seconds between two
        # readings.
        READ_ERROR_S = 10 / Math.sqrt(12)
        # Share of the peak from which a minute is one of the busiest.
        NEARLY_PEAK = 0.9
        # Share of units with a known arrival from which queueing is known.
        STAMPED = 0.5

        # @param options [Hash] windows, unit samples, samples, vcpus and warm_up_s: see SettingFigures
        # @param members [Array<Analysis::ProcessReport::MeasuredProcess>]
        # @param pool [String, nil] the pool of threads that was asked about
        # @param shared [Boolean] whether requests and jobs share processes: each is needed to understand the
        #   other
        # @return [Recording]
        def self.of(kind:, members: [], pool: nil, shared: false, **options)
          figures = SettingFigures.new(kind:, **options)
          other = other_kind(figures, kind, members, **options) if shared
          new(figures, kind:, members:, pool:, other:)
        end

        # Units of the other kind in the same processes.
        def self.other_kind(figures, kind, members, windows:, **options)
          same = windows.select { |window| figures.fingerprints.include?(window.setting&.fingerprint) }
          of(kind: (ThreadPools::KINDS - [kind]).first, members:, windows: same, **options)
        end
        private_class_method :other_kind

        # @return [Symbol] :request or :job
        attr_reader :kind

        # @return [SettingFigures] as they were measured
        attr_reader :figures

        # @param other [Recording, nil] of the other kind's units under the same setting
        def initialize(figures, kind:, members: [], pool: nil, other: nil)
          @figures = figures
          @kind = kind
          @pool = pool
          @other = other if other && other.unit_samples.size >= ConcurrentUnits::FEWEST
          @members = members.select do |member|
            figures.fingerprints.include?(member.setting) && member.takes?(kind)
          end
        end

        def setting = figures.setting

        # @return [ServiceDemand, nil] on CPUs without other work: a replay models that itself
        def demand
          return @demand if defined?(@demand)
          demand = figures.demand
          @demand = demand&.with(held_ns: demand.held_ns * undisturbed.share,
            cost: demand.cost.with(recorded_processes: processes))
        end

        # Units as they would be on CPUs without other work.
        def unit_samples
          @unit_samples ||= undisturbed.unit_samples(figures.unit_samples)
        end

        # @return [ClosedLoad, ClosedLoad::FullPools] of units as they were measured; none where units of both
        #   kinds share a process
        def closed_load
          @closed_load ||= if !pools.several? then figures.closed_load
          elsif pools.concurrent_units? then ClosedLoad::NONE
          else
            ClosedLoad::FullPools.new(figures.unit_samples, pools, processes:, seconds: host_seconds,
              between: figures.between)
          end
        end

        # @param minutes [Array<Integer>] starts of those that may be the busiest
        # @param closed [Boolean] whether the busiest levels of a load test count instead
        # @return [Array<UnitSample>] of the busiest minutes, as they were measured
        def busiest(minutes = arrivals.keys, closed: closed_load.closed?)
          return busiest_levels.flat_map(&:unit_samples) if closed
          rates = rates(minutes)
          peak = peak_rate(rates)
          busy = rates.select { |_, rate| peak?(rate, peak) }
          figures.unit_samples.select { |unit| busy.key?(unit.end_ns / NS / MINUTE_S * MINUTE_S) }
        end

        # @return [Float] units per second that a host served at most: in its busiest minutes, or at a level
        #   of a closed load
        def most_served
          levels = closed_load.levels.select { |level| level.weight >= ClosedLoad::SATURATED }
          [peak_rate(rates(arrivals.keys)).to_f / MINUTE_S, *levels.map(&:throughput)].max
        end

        # @param unit_samples [Array<UnitSample>] as they were measured
        # @return [Array<UnitSample>] without waits for a CPU
        def on_free_cpus(unit_samples)
          undisturbed.unit_samples(unit_samples)
        end

        # @return [Array<Window>] of the units
        def windows = figures.windows

        # @return [Numeric, nil] of a host
        def vcpus = figures.vcpus

        # @return [Integer]
        def units = figures.units

        # @return [Float, nil] see SettingFigures
        def handoff_ns = figures.handoff_ns

        # @return [Float] see SettingFigures
        def held_per_cpu = figures.held_per_cpu

        # @return [WaitingBacklog, nil] jobs that waited at its end
        def waiting = figures.waiting

        # @return [Analysis::Machine::MachineSpeed]
        def machine_speed = figures.machine_speed

        # @return [SpeedEffect] of it on the units
        def speed_effect = figures.speed_effect

        # @return [ArrivalTimes] see SettingFigures
        def arrival_times = figures.arrival_times

        # @return [Hash{Integer => Float}] units of each minute, extrapolated to whole minutes
        def arrivals
          @arrivals ||= begin
            covered = figures.arrivals.select { |start_s, _| covered_s(start_s) >= LEAST_S }
            whole = covered.to_h { |start_s, count| [start_s, in_a_whole_minute(start_s, count)] }
            whole.merge(counted_arrivals(whole)).sort.to_h
          end
        end

        # @return [Hash{Integer => Float}] start of a minute => seconds, of those that were recorded in part
        def covered
          seconds = arrivals.keys.to_h { |start_s| [start_s, covered_s(start_s)] }
          seconds.select { |_, covered_s| covered_s < MINUTE_S }
        end

        def hosts
          [figures.hosts, 1].max
        end

        # @return [Hash{Integer => Float}] start of a minute => mean number of hosts that recorded in it
        def hosts_by_minute
          arrivals.keys.to_h { |start_s| [start_s, figures.hosts_at(start_s)] }
        end

        def processes = deployment.processes

        def threads
          pools.several? ? pools.threads : deployment.threads
        end

        # @return [ThreadPools] of a process, which share its GVL
        def pools
          @pools ||= ThreadPools.of(figures.of_pools, members: @members, kind:, first: @pool,
            concurrent: !@other.nil?)
        end

        # @return [ConcurrentUnits, nil] units of the other kind in the same processes
        def concurrent_units
          if pools.concurrent_units?
            ConcurrentUnits.new(@other.unit_samples, @other.arrivals, slice_ns: @other.time_slice_ns)
          end
        end

        def time_slice_ns = deployment.time_slice_ns

        def slices? = deployment.slices?

        def io_threads? = deployment.io_threads?

        def threaded? = deployment.threaded?

        # @return [Array<Symbol>] what forbids an answer
        def problems
          return young || [:no_recording] unless recorded?
          forbidding = figures.problems.select do |problem|
            problem.refusal? || problem.kind == :few_unit_samples
          end
          kinds = forbidding.map(&:kind)
          deployment.supported? ? kinds : [*kinds, :unsupported]
        end

        # @return [Hash{Symbol => Hash}] reasons for errors or for no answer, with facts
        def warnings
          return {} unless recorded?
          found = figures.problems.to_h { |problem| [problem.kind, problem.facts] }
          found[:concurrent_units] = {} if deployment.concurrent_units? && !pools.concurrent_units?
          found.except(*problems)
        end

        # @param kind [Symbol] one of the problems
        # @return [Hash{Symbol => Object}] see RecordingChecks::RecordingProblem
        def problem_facts(kind)
          figures.problems.find { |problem| problem.kind == kind }.facts
        end

        def growth_estimate = figures.growth.overall

        # @return [CoherencyEstimator::IntervalEstimate] of what units wait for
        def idle_growth = figures.growth.idle

        # @return [CoherencyEstimator::IntervalEstimate, nil] nil unless concurrency measurably costs
        #   something
        def growth
          growth_estimate.grows? ? growth_estimate : nil
        end

        def growths = figures.growth.series

        # @return [CoherencyEstimator::IntervalEstimate, nil] nil unless a rest measurably costs something
        def rest
          estimate = figures.growth.rest
          estimate if estimate.grows?
        end

        # @return [Float] mean ns that a unit waits for connections and locks
        def resource_wait_ns
          %i[pool_wait_ns lock_ns].sum { |key| windows_sum(key) }.fdiv([units, 1].max)
        end

        # A self-test asks for them with every replay.
        def measured
          @measured ||= begin
            queued_ns = (histogram(:queued).count >= STAMPED * units) ? histogram(:queued).mean : nil
            SelfTest::MeasuredFigures.new(queued_ns:, stalled_ns: histogram(:stalled).mean, handoff_ns:,
              response_ns: histogram(:wall).mean + queued_ns.to_f, p95_ns: p95(queued_ns), utilisation:)
          end
        end

        def held_ns = histogram(:running).sum

        private

        # @return [Hash{Integer => Float}] units of a host in each of these minutes
        def rates(minutes)
          hosts = hosts_by_minute
          arrivals.slice(*minutes).to_h { |start_s, count| [start_s, count / hosts.fetch(start_s)] }
        end

        def peak_rate(rates)
          hosts = hosts_by_minute
          Traffic.peak(rates.map { |at_s, rate| [rate, covered_s(at_s) * hosts.fetch(at_s)] })
        end

        def busiest_levels
          closed_load.levels.select { |level| peak?(level.population, closed_load.peak) }
        end

        def peak?(load, peak)
          load >= NEARLY_PEAK * peak
        end

        def recorded?
          !setting.nil? && !demand.nil?
        end

        # All units came soon after a boot.
        def young
          [:warming_up] if figures.problems.map(&:kind).include?(:warming_up)
        end

        # The first and last minute are recorded in part: taken as whole, they would show half of their load.
        def covered_s(minute_s)
          coverage ? coverage.seconds(minute_s, minute_s + MINUTE_S) : MINUTE_S.to_f
        end

        # Windows show when units ended and were read; counts of arrivals show when they came. Unknown while a
        # host has none.
        # @return [Hash{Integer => Numeric}] units of each minute, extrapolated to whole minutes
        def counted_arrivals(windows)
          return {} if windows.empty? || (figures.unit_samples.map(&:host).uniq - arrival_times.hosts).any?
          first_s, last_s = windows.keys.minmax
          counted = arrival_times.minutes.keys.select { |start_s| start_s.between?(first_s, last_s) }
          minutes = counted | windows.keys.select { |start_s| none_came?(start_s) }
          minutes.select { |start_s| covered_s(start_s) >= LEAST_S }.to_h do |start_s|
            count = arrival_times.minutes.fetch(start_s, []).sum(&:count)
            [start_s, count * MINUTE_S / covered_s(start_s)]
          end
        end

        # Whether units only ended in that minute, or were only read in it. The single units of many ten
        # minutes are not read.
        def none_came?(start_s)
          @came ||= figures.unit_samples.group_by { |unit| SampleBlock.start_of(unit.start_ns) }
            .transform_values { |units| units.to_set { |unit| came_in(unit) } }
          came = @came[start_s / SampleBlock::SECONDS * SampleBlock::SECONDS]
          !came.nil? && !came.include?(start_s) && !arrival_times.minutes.key?(start_s)
        end

        def came_in(unit)
          (unit.start_ns - unit.queued_ns.to_i) / NS / MINUTE_S * MINUTE_S
        end

        # A window has what the collector read in its minute, with some seconds of the one before or after. In
        # a part of a minute that is much; single units know when they ended, but not all are recorded.
        def in_a_whole_minute(start_s, count)
          covered_s = covered_s(start_s)
          singly = figures.recorded_in(start_s) if covered_s < MINUTE_S
          count = singly.weight if singly && singly.error < READ_ERROR_S / covered_s
          count * MINUTE_S / covered_s
        end

        def coverage = figures.measured_time

        def undisturbed
          @undisturbed ||= CpuWaitCorrection.new(@members, held_per_cpu: figures.held_per_cpu)
        end

        def deployment
          @deployment ||= Deployment.new(setting, kind:, members: @members)
        end

        def windows_sum(key)
          figures.windows.sum { |window| window.sums.fetch(key) }
        end

        def histogram(key)
          @histograms ||= {}
          @histograms[key] ||= begin
            histograms = figures.windows.map { |window| window.histograms.fetch(key) }
            Histogram::CountAndSum.sum(histograms)
          end
        end

        # Of the minutes that are replayed, with as many units as came in them: a window has what was read in
        # its minute, which may be all of a short recording. Threads outside of units and concurrent units of
        # the other kind hold the GVL too.
        def utilisation
          arrived = arrivals.sum { |start_s, count| count * covered_s(start_s) / MINUTE_S }
          each_ns = held_ns.fdiv(units) + figures.between.held_ns
          others_ns = concurrent_units ? @other.held_ns.fdiv(units) : 0
          (each_ns + others_ns) * arrived / (seconds_of(arrivals.keys) * NS * processes)
        end

        # Seconds for which hosts recorded, all together.
        def host_seconds = seconds_of(figures.arrivals.keys)

        def seconds_of(minutes)
          seconds = minutes.sum { |start_s| covered_s(start_s) * figures.hosts_at(start_s) }
          [seconds, 1].max
        end

        # Windows have the percentiles of queued and of elapsed, but only single units have those of their
        # sum.
        def p95(queued_ns)
          UnitTimes.new(figures.unit_samples, queued: !queued_ns.nil?).response(0.95)
        end

        # A thread that waits for a CPU keeps the GVL. Of the time held without using a CPU, as much as the
        # system counted as such waits is removed; the rest belongs to the unit.
        class CpuWaitCorrection
          # @return [Float] share of the time held that remains
          attr_reader :share

          # @param held_per_cpu [Float] time held against CPU used meanwhile
          def initialize(members, held_per_cpu:)
            waits = members.filter_map(&:waiting_share)
            most = [1 - 1 / held_per_cpu, 0.0].max
            @share = waits.empty? ? 1.0 : 1 - (waits.sum / waits.size).clamp(0.0, most)
          end

          def unit_samples(unit_samples)
            (share < 1) ? unit_samples.map { |unit_sample| alone(unit_sample) } : unit_samples
          end

          private

          def alone(unit_sample)
            unit_sample.with(running_ns: (unit_sample.running_ns * share).round,
              longest_hold_ns: (unit_sample.longest_hold_ns * share).round)
          end
        end

        # Times that single recorded units had, over all units that they stand for.
        class UnitTimes
          # @param units [Array<UnitSample>] at least one
          # @param queued [Boolean] whether their wait for a thread is known and counts
          def initialize(units, queued:)
            @units = units
            @queued = queued
          end

          # @return [Float, nil] mean ns
          def queued_ns
            mean { |unit| queue_ns(unit) } if @queued
          end

          def stalled_ns = mean(&:stalled_ns)

          def running_ns = mean(&:running_ns)

          def response_ns
            mean { |unit| queue_ns(unit) + unit.wall_ns }
          end

          # @param share [Float] 0.95: the 95th percentile
          # @return [Integer] ns
          def response(share)
            quantile(share) { |unit| queue_ns(unit) + unit.wall_ns }
          end

          # The same percentile of queued + stalled.
          def wait(share)
            quantile(share) { |unit| queue_ns(unit) + unit.stalled_ns }
          end

          private

          def queue_ns(unit)
            @queued ? unit.queued_ns.to_i : 0
          end

          def mean(&) = WeightedSample.mean(weighted(&))

          def quantile(share, &)
            WeightedSample.quantile(weighted(&), share).to_i
          end

          def weighted
            @units.map { |unit| [yield(unit), unit.weight] }
          end
        end
      end
    end
  end
end
