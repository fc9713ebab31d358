# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What the machine's speed did to the units of a recording. A piece of work that never changes
      # (FixedWork) shows how slow the machine was in each minute; units follow it by an exponent:
      #
      #   held = held at the mean speed * slowness ^ running
      #   idle = idle at the mean speed * slowness ^ idle
      #
      # Without that, a machine that is slow by turns looks like concurrency that costs something: where units
      # take longer, more of them are in flight.
      class SpeedEffect
        # Speeds that vary less (slow minutes against fast ones) have no effect that matters.
        LEAST_VARIATION = 1.03

        # @param unit_samples [Array<UnitSample>] of one setting, warm
        # @param samples [Array<Hash{Symbol => Object}>] of processes and containers, see ProcessSampler
        # @return [SpeedEffect] NONE where speeds are unknown, or too few units or minutes show an effect
        def self.of(unit_samples, samples)
          varied = Analysis::Machine::MachineSpeed.of(samples).variation.to_f >= LEAST_VARIATION
          return self::NONE unless varied && unit_samples.size >= CoherencyEstimator::FEWEST
          slowness = HostSlowness.of(samples, unit_samples)
          running, idle = %i[running_ns idle_ns].map do |field|
            SpeedExponent.of(unit_samples, slowness, field)
          end
          new(slowness, running:, idle:)
        end

        # @return [SpeedExponent] of the time with the GVL; `idle`: of the time that units wait for other
        #   things, such as a database on the same machine
        attr_reader :running, :idle

        # @param slowness [HostSlowness]
        def initialize(slowness, running:, idle:)
          @slowness = slowness
          @running = running
          @idle = idle
        end

        # Whether speeds are known and differ, though it may not be known what that does.
        def varies? = [running, idle].any? { |exponent| exponent.deviation.positive? }

        # Whether it changes any unit.
        def any? = [running, idle].any? { |exponent| exponent.value.positive? }

        # @return [Float] logarithm of how slow the unit's machine was, 0.0: as on average
        def slowness(unit)
          @slowness.at(unit.host, unit.start_ns)
        end

        # @param minute_s [Integer] start
        # @return [Float] likewise, mean of the hosts
        def minute(minute_s)
          @slowness.mean((minute_s + MINUTE_S / 2) * NS)
        end

        # @return [UnitSample] as it would have been at the mean speed
        def at_mean_speed(unit)
          any? ? slowed(unit, -slowness(unit)) : unit
        end

        # @param slowness [Float] logarithm
        # @return [Float] factor of the time with the GVL
        def held_factor(slowness) = Math.exp(running.value * slowness)

        # @return [UnitSample] as it would have been on a machine that much slower
        def slowed(unit, slowness)
          held = held_factor(slowness)
          idle = Math.exp(self.idle.value * slowness)
          unit.with(running_ns: (unit.running_ns * held).round, cpu_ns: (unit.cpu_ns * held).round,
            gc_ns: (unit.gc_ns * held).round, longest_hold_ns: (unit.longest_hold_ns * held).round,
            idle_ns: (unit.idle_ns * idle).round)
        end

        # @param demand [ServiceDemand] of units at all times
        # @param unit_samples [Array<UnitSample>] of some of them
        # @return [ServiceDemand] at the speed of these
        def demand(demand, unit_samples)
          return demand unless any?
          weighted = unit_samples.map { |unit| [slowness(unit), unit.weight] }
          held, idle = [running, self.idle].map do |exponent|
            WeightedSample.mean(weighted.map { |slow, weight| [Math.exp(exponent.value * slow), weight] })
          end
          demand.with(held_ns: demand.held_ns * held, cpu_ns: demand.cpu_ns * held,
            idle_ns: demand.idle_ns * idle)
        end
      end

      # How slow hosts were over time: logarithms of the time that the fixed work took, against the mean of
      # each host's units, so that only changes count and not which host a unit ran on.
      class SpeedEffect::HostSlowness
        # A sample has the mean of the minute before it.
        MIDDLE_S = MINUTE_S / 2

        # @param samples [Array<Hash{Symbol => Object}>] of processes and containers
        # @param unit_samples [Array<UnitSample>] whose mean is 0
        def self.of(samples, unit_samples)
          timed = samples.select { |sample| sample[:fixed_work_ns].to_i.positive? }
          points = timed.group_by { |sample| sample[:host] }.transform_values do |own|
            sorted = own.sort_by { |sample| sample[:at_s] }
            sorted.map { |sample| [sample[:at_s] - MIDDLE_S, Math.log(sample[:fixed_work_ns])] }
          end
          new(points).centred(unit_samples)
        end

        # @param points [Hash{String => Array<Array(Integer, Float)>}] of each host: second and logarithm,
        #   ascending
        def initialize(points, means = {})
          @points = points
          @means = means
        end

        # @return [HostSlowness] of which these units have a mean of 0 on each host
        def centred(unit_samples)
          means = unit_samples.group_by(&:host).to_h do |host, own|
            [host, WeightedSample.mean(own.map { |unit| [at(host, unit.start_ns), unit.weight] })]
          end
          self.class.new(@points, means)
        end

        # @return [Float] 0.0 for a host whose speed is unknown
        def at(host, at_ns)
          points = @points[host]
          points ? between(points, at_ns.fdiv(NS)) - @means.fetch(host, 0.0) : 0.0
        end

        # @return [Float] of the hosts that have units
        def mean(at_ns)
          hosts = @means.keys
          hosts.empty? ? 0.0 : hosts.sum { |host| at(host, at_ns) } / hosts.size
        end

        private

        # A straight line from one point to the next one; before the first and after the last, as there.
        def between(points, at_s)
          after = points.bsearch_index { |second, _| second > at_s }
          return points.last.last unless after
          return points.first.last if after.zero?
          (from_s, from), (to_s, to) = points[after - 1, 2]
          from + (to - from) * (at_s - from_s) / (to_s - from_s)
        end
      end

      SpeedEffect::NONE = SpeedEffect.new(SpeedEffect::HostSlowness.new({}),
        running: SpeedEffect::SpeedExponent::NONE, idle: SpeedEffect::SpeedExponent::NONE)
    end
  end
end
