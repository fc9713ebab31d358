# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class Recording
      end

      # For how long after their boot the processes of a recording were warming up: until their JIT was warm,
      # where samples say when, else until requests and jobs held the GVL about as long as later ones of the
      # same name. Two minutes at most, and where the recording does not show it.
      class Recording::WarmUpLength
        # Ages are compared in steps of so many seconds.
        STEP_S = 10
        # Units count as warm while they hold the GVL at most this much longer than later ones.
        ALIKE = 1.05
        # Units of an age that are compared at least: held times of one name differ by their own size, so the
        # mean of fewer is mostly chance.
        FEWEST = 30
        # Units of warm processes that they are compared with at least.
        FEWEST_LATER = 100

        # @param unit_samples [Array<UnitSample>] of one setting
        # @param samples [Array<Hash{Symbol => Object}>] of its processes
        def initialize(unit_samples, samples)
          @unit_samples = unit_samples
          @samples = samples
        end

        # @return [Integer] the longest of all processes that began in the recording
        def seconds
          jit, others = young.group_by { |unit| jit_ages[key_of(unit)] }.partition(&:first)
          ages_s = jit.map(&:first)
          ages_s << age_of_alike(others.flat_map(&:last)) if others.any?
          ages_s.max || WARM_UP_S
        end

        private

        def young
          @unit_samples.select { |unit| unit.age_ns < WARM_UP_S * NS }
        end

        # @return [Hash{Array => Integer}] host, pid and start of a process => its age when its JIT was warm
        def jit_ages
          @jit_ages ||= @samples.each_with_object({}) do |sample, ages|
            warm_ns, since_s = sample.values_at(:jit_warm_ns, :since_s)
            next unless warm_ns && since_s
            age_s = warm_ns.ceildiv(NS) - since_s
            ages[sample.values_at(:host, :pid, :since_s)] = age_s.clamp(0, WARM_UP_S)
          end
        end

        def key_of(unit)
          [unit.host, unit.process.pid, unit.process.since_ns / NS]
        end

        # A step has to be alike, and so have all units from there on: the first alone may be so by chance,
        # and the second alone includes a short time with much longer ones.
        def age_of_alike(young)
          return WARM_UP_S if later.size < FEWEST_LATER
          excesses = young.filter_map do |unit|
            usual = usual_log[unit.series]
            [unit.age_ns / NS, log(unit) - usual] if usual
          end
          (0...WARM_UP_S).step(STEP_S).find { |from_s| alike_from?(from_s, excesses) } || WARM_UP_S
        end

        # @param excesses [Array<Array(Integer, Float)>] age in seconds, and logarithm of the held time less
        #   the usual one
        def alike_from?(from_s, excesses)
          rest = excesses.select { |age_s, _| age_s >= from_s }
          step = (from_s + STEP_S..WARM_UP_S).step(STEP_S).lazy.map { |to_s|
            rest.select { |age_s, _| age_s < to_s }
          }.find { |some| some.size >= FEWEST }
          !step.nil? && [step, rest].all? { |some| mean(some.map(&:last)) <= Math.log(ALIKE) }
        end

        def later
          @later ||= @unit_samples.select { |unit| unit.age_ns >= WARM_UP_S * NS }
        end

        # Within each series, so that other units at first are no warm-up.
        def usual_log
          @usual_log ||= later.group_by(&:series).transform_values do |same|
            mean(same.map { |unit| log(unit) })
          end
        end

        def log(unit)
          Math.log([unit.running_ns, 1].max)
        end

        def mean(values)
          values.sum / values.size
        end
      end
    end
  end
end
