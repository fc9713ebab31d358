# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # The figures of one setting in a time span as they were measured, and its problems. If the span has
      # several settings, that is a problem, and the figures are those of the one with most units.
      #
      # Windows have all units and give means and rates; unit samples are single units, and give their
      # variance and the cost of concurrency. Neither has what came while a process was warming up.
      class Recording::SettingFigures
        # A unit counts as alone if it shared its process for no more than a twentieth of its time.
        ALONE_MILLI = 1050
        # Of the time for which a server holds the GVL between two requests, about this share follows the end
        # of the first one: its thread closes the connection, or gives it to a reactor, and waits for the next
        # one. Captures of Puma 8 had 0.53 with a connection for each request, more with kept ones.
        AFTER_REQUESTS = 0.5

        # @return [Array<UnitSample>] warm ones of the setting, in the order of their starts
        attr_reader :unit_samples

        # Warm windows of units of the setting.
        attr_reader :windows

        # @return [Analysis::MeasuredTime, nil] from the first to the last recorded unit, the first minutes of
        #   processes included
        attr_reader :measured_time

        # @return [Array<Window>] of the pools of threads that ran jobs, likewise
        attr_reader :of_pools

        # @return [Analysis::Machine::MachineSpeed] of the span
        attr_reader :machine_speed

        # @return [SpeedEffect] of it on these units
        attr_reader :speed_effect

        # @return [Recording::ArrivalTimes] of the setting
        attr_reader :arrival_times

        # @param windows [Enumerable<Window>] of the span, a minute each where the store still has them
        # @param samples [Array<Hash{Symbol => Object}>] of processes: their starts
        # @param vcpus [Numeric, nil] of a host; nil: as the setting says
        # @param warm_up_s [Integer, nil] ignored after a boot; 0 if an experiment has left it out itself;
        #   nil: as long as the recording shows
        # @param arrivals [Array<ArrivalBlock>] of the span, none in older recordings
        def initialize(windows:, unit_samples:, samples: [], arrivals: [], kind: :request, vcpus: nil,
          warm_up_s: nil)
          own = windows.select { |window| window.series.kind == kind && window.count.positive? }
          @known = Recording::RecordedSettings.new(own, unit_samples:, warm_up_s: warm_up_s || WARM_UP_S)
          @recorded = @known.first
          mine = unit_samples.select { |unit| @known.first?(unit) && unit.series.kind == kind }
          own_samples = samples.select { |sample| fingerprints.include?(sample[:setting]) }
          @queue_samples = (kind == :job) ? own_samples : []
          warm_up_s ||= Recording::WarmUpLength.new(mine, own_samples).seconds
          boots = Analysis::ProcessBoots.new(mine, own_samples, warm_up_s:)
          @minutes = Recording::MinuteCounts.new(mine, boots)
          @measured_time = Analysis::MeasuredTime.of(mine)
          @windows = @minutes.warm(@recorded)
          @host_counts = Recording::HostCounts.new(boots.hosts, @windows, @measured_time)
          @apart, @of_pools = %i[account pool].map do |other|
            in_known_spans(windows.select { |window| window.series.kind == other })
          end
          warm = mine.select { |unit_sample| boots.warm_unit?(unit_sample) }.sort_by(&:start_ns)
          counted = Recording::CountedSeries.new(windows).like(warm)
          @unit_samples = Recording::HoldLengths.new(windows).of(counted)
          @vcpus = vcpus
          @machine_speed = Analysis::Machine::MachineSpeed.of(samples)
          @speed_effect = SpeedEffect.of(@unit_samples, samples)
          @arrival_times = Recording::ArrivalTimes.new(arrivals, kind:, fingerprints:)
        end

        # @return [Hash{Setting => Integer}] units of each, most first
        def settings = @known.to_h

        def setting = settings.first&.first

        def fingerprints = @known.fingerprints

        def units = total.count

        def problems
          @problems ||= Recording::RecordingChecks.new(self).problems
        end

        # @return [WaitingBacklog, nil] jobs that waited in its queues at the end
        def waiting
          WaitingBacklog::SampledQueues.new(@queue_samples, @recorded).call
        end

        # Whether it allows no conclusion.
        def refused? = problems.any?(&:refusal?)

        # @return [Hash{Integer => Numeric}] start of a minute => units that arrived, on all hosts
        def arrivals
          @arrivals ||= @minutes.counts(windows)
        end

        # @return [Recording::MinuteCounts::Minute, nil] single units that ended in that minute
        def recorded_in(minute_s)
          @minutes.singly(minute_s)
        end

        # @return [Integer] at the same time: as many as in all but a twentieth of the minutes at most
        def hosts = peak(arrivals.keys.map { |minute_s| hosts_at(minute_s) }).round

        # @return [Float] mean number of hosts that recorded in that minute
        def hosts_at(minute_s)
          @host_counts.at(minute_s)
        end

        # @return [Float] mean units per second over the minutes that have any
        def rate
          arrivals.empty? ? 0.0 : units.fdiv(arrivals.size * MINUTE_S)
        end

        # @return [Float] units per second in a busy minute (95th percentile)
        def peak_rate
          peak(arrivals.values) / MINUTE_S
        end

        def demand
          total.demand(cost: growth.cost, **factors(unit_samples), cv2: cv2(unit_samples), between:)
        end

        # Most running time first.
        def demands
          totals = windows.group_by(&:series).transform_values { |own| UnitTotals.new(own) }
          totals.sort_by { |_, own| -own[:running] }.to_h do |series, own|
            same = unit_samples.select { |unit_sample| unit_sample.series == series }
            [series, own.demand(cost: growth.cost, **factors(same), cv2: cv2(same))]
          end.compact
        end

        def growth
          @growth ||= CoherencyEstimator.new(unit_samples, load: closed_load, speed: speed_effect)
        end

        # @return [ClosedLoad] of its units
        def closed_load
          @closed_load ||= ClosedLoad.new(unit_samples)
        end

        # @return [Float] mean number of units in a process that units saw, themselves included
        def in_flight = mean(unit_samples, &:in_flight)

        # GVL time of threads outside of units, and the time of requests before a free thread has them.
        def between
          held_ns, acquisitions = %i[running acquisitions].map { |name| apart[name].fdiv([units, 1].max) }
          after = requests? ? AFTER_REQUESTS : 0.0
          before_ns = held_ns * (1 - after)
          idle_ns = [pickup_ns - before_ns, 0.0].max
          Scenario::DispatchCost.new(held_ns:, idle_ns:, acquisitions:, after:,
            arriving_ns: requests? ? idle_ns : 0)
        end

        # @return [Float, nil] mean ns of a unit's stall while no thread held the GVL; nil if not recorded
        def handoff_ns
          handoffs = @apart.select { |window| window.series == Series::HANDOFF }
          UnitTotals.new(handoffs)[:caused_ns].fdiv([units, 1].max) if handoffs.any?
        end

        # Requests alone in a process found a free thread: their queue time passed in the kernel and in the
        # server's loop. For jobs it is unknown when a thread became free. Returns ns, 0 if unknown.
        def pickup_ns
          requests = unit_samples.select { |unit| unit.series.kind == :request && unit.queued_ns }
          alone = requests.select { |request| request.in_flight_milli <= ALONE_MILLI && found_free?(request) }
          alone.map(&:queued_ns).sort[alone.size / 2].to_i
        end

        def vcpus
          @vcpus || setting&.[](:vcpus)
        end

        # @return [Float] share of the units that came from processes that had just begun
        def cold_share
          all = @recorded.sum(&:count)
          all.zero? ? 0.0 : 1 - units.fdiv(all)
        end

        # @return [Float] time of holding the GVL against CPU used meanwhile; above 1.1 CPUs are missing
        def held_per_cpu
          total[:cpu_ns].positive? ? total[:running].fdiv(total[:cpu_ns]) : 1.0
        end

        # @return [Float, nil] share of all hosts' vCPUs that units used in a busy minute; nil if unknown
        def cpu_share
          return unless vcpus && hosts.positive?
          each_host = cpu_ns.map { |minute_s, whole_ns| whole_ns / hosts_at(minute_s) }
          peak(each_host) / MINUTE_S / 1e9 / vcpus
        end

        # @return [Float] share of the elapsed time that units waited for a connection
        def pool_share = share(:pool_wait_ns)

        # @return [Float] likewise for a lock
        def lock_share = share(:lock_ns)

        private

        def requests? = windows.any? { |window| window.series.kind == :request }

        def share(wait)
          total[:wall].positive? ? total[wait].fdiv(total[:wall]) : 0.0
        end

        # A unit that is alone may have waited for the previous ones: for the only thread, or for several that
        # ended at the same time. If it arrived after their ends, it was under way no longer than the process
        # rested. Old recordings do not know rests; with several threads, units that wait are rarely alone.
        def found_free?(unit_sample)
          return setting&.[](:threads).to_i > 1 if unit_sample.rest_ns.nil?
          unit_sample.queued_ns <= unit_sample.rest_ns
        end

        def total
          @total ||= UnitTotals.new(windows)
        end

        def apart = UnitTotals.new(@apart)

        # Threads outside of units count only in minutes with units.
        def in_known_spans(windows)
          spans = @windows.to_set { |window| [window.start_s, window.seconds] }
          own = windows.select do |window|
            @known.first?(window) && spans.include?([window.start_s, window.seconds])
          end
          @minutes.warm(own)
        end

        # @return [Hash{Integer => Float}] CPU time of units by minute, equal for all units of a window
        def cpu_ns
          slots = windows.group_by { |window| [window.start_s, window.seconds] }.values
          slots.each_with_object(Hash.new(0.0)) do |same, all|
            whole_ns = same.sum { |window| window.most_cpu_ns + window.sums[:native_ns] }
            each_ns = whole_ns.fdiv([same.sum(&:count), 1].max)
            @minutes.counts(same).each { |minute_s, count| all[minute_s] += count * each_ns }
          end
        end

        def peak(values)
          values.sort[((values.size - 1) * Traffic::PEAK).ceil].to_f
        end

        def mean(some)
          some.empty? ? 1.0 : some.sum { |unit| yield(unit) * unit.weight } / some.sum(&:weight)
        end

        # The factors by which growth.cost lengthened these units, on average.
        def factors(some)
          cost = growth.cost
          held = mean(some) do |unit_sample|
            cost.factor(in_flight: unit_sample.in_flight, rested: CoherencyCost.rested(unit_sample.rest_ns))
          end
          {held_factor: held, idle_factor: mean(some) { |unit_sample|
            cost.idle_factor(unit_sample.in_flight)
          }}
        end

        def cv2(some)
          own = mean(some) { |unit_sample| unit_sample.running_ns + unit_sample.idle_ns }
          square = mean(some) { |unit_sample| (unit_sample.running_ns + unit_sample.idle_ns)**2 }
          (some.size > 1 && own.positive?) ? square / own**2 - 1 : 1.0
        end

        class UnitTotals
          attr_reader :count

          def initialize(windows)
            @windows = windows
            @count = windows.sum(&:count)
            @sums = {}
          end

          def [](name)
            @sums[name] ||= @windows.sum do |window|
              window.sums.fetch(name) { window.histograms.fetch(name).sum }
            end
          end

          # The demand has no waits for locks or connections: they are congestion, which changes with the
          # setting.
          # @param held_factor [Float] by which the cost lengthened these units' holds, on average;
          #   `idle_factor`: likewise their idle time
          # @param rest [Hash] cv2 and between of the ServiceDemand
          # @return [ServiceDemand, nil] nil without any unit that held the GVL
          def demand(cost:, held_factor:, idle_factor:, **rest)
            return unless count.positive? && self[:running].positive?
            idle_ns = self[:idle] - self[:native_ns] - self[:lock_ns] - self[:pool_wait_ns]
            asleep = [self[:sleep_ns] - self[:pool_wait_ns], 0].max.fdiv([idle_ns, 1].max).clamp(0.0, 1.0)
            ServiceDemand.new(asleep:, held_ns: each(self[:running]) / held_factor,
              cpu_ns: each(@windows.sum(&:most_cpu_ns)) / held_factor,
              idle_ns: [each(idle_ns), 0.0].max / idle_factor, native_ns: each(self[:native_ns]),
              acquisitions: [each(self[:acquisitions]), 1.0].max, cost:, **rest)
          end

          private

          def each(sum) = sum.fdiv(count)
        end
      end
    end
  end
end
