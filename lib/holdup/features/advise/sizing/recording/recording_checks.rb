# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # What may be wrong with the figures of a recording.
      class Recording::RecordingChecks
        # A 95th percentile of fewer units is accurate to a fifth at best.
        FEWEST_UNITS = 400
        FEWEST_UNIT_SAMPLES = 200
        MOST_COLD = 0.5
        # Ruby was still compiling or a cache was filling if like units got this much faster. If they got
        # slower, the machine has other work, or the application takes more and more.
        STEADY = 1.2
        # GVL held beyond the CPU used: CPUs are missing, a quota stops the container, pages are read from a
        # disk, or C code waits with the GVL held.
        HELD_PER_CPU = 1.1
        CPU_SHARE = 0.85
        POOL_SHARE = 0.05
        LOCK_SHARE = 0.1
        # What grade A of the self-test allows: beyond it, no prediction can be that exact.
        MACHINE_VARIATION = 1.1

        # A problem of a recording. `facts` {Symbol => Object} fill its sentence. A refusal forbids advice;
        # with any other problem advice may miss.
        #
        # | kind | refusal | facts |
        # |---|---|---|
        # | `:mixed_settings` | yes | settings (Array of Setting, most units first), units (Array, as many) |
        # | `:mixed_applications` | yes | likewise |
        # | `:few_units` | yes | units, needed |
        # | `:warming_up` | yes | share (of the units that came from processes in their first minutes) |
        # | `:unsteady` | no | ratio (running time of like units, first third against last third) |
        # | `:slowed` | no | ratio (last third against first third) |
        # | `:cpu_saturated` | no | cpu_share (of the vCPUs in a busy minute) |
        # | `:held_without_cpu` | no | starved_share (of the time that the GVL was held, without a CPU) |
        # | `:machine_speed` | no | ratio (of a fixed piece of work's time, slow minutes against fast ones) |
        # | `:pool_bound` | no | pool_share (of the elapsed time that units waited for a connection) |
        # | `:lock_bound` | no | lock_share (likewise for a lock) |
        # | `:few_unit_samples` | no | unit samples, needed: no replay and no growth |
        RecordingProblem = Data.define(:kind, :refusal, :facts) do
          def refusal? = refusal
        end

        # @param figures [SettingFigures]
        def initialize(figures)
          @figures = figures
        end

        # @return [Array<RecordingProblem>] refusals first
        def problems
          found = [mixed_settings, few_units, warming_up, unsteady, slowed, cpu_saturated, held_without_cpu,
            machine_speed, pool_bound, lock_bound, few_unit_samples]
          found.compact.sort_by { |problem| problem.refusal? ? 0 : 1 }
        end

        private

        def mixed_settings
          settings = @figures.settings
          kind = Analysis::ApplicationShares.of(settings).several? ? :mixed_applications : :mixed_settings
          problem(kind, true, settings: settings.keys, units: settings.values) if settings.size > 1
        end

        # Units that mostly came after a boot are another problem.
        def few_units
          if @figures.units < FEWEST_UNITS && !warming_up
            problem(:few_units, true, units: @figures.units, needed: FEWEST_UNITS)
          end
        end

        def warming_up
          share = @figures.cold_share
          problem(:warming_up, true, share:) if share > MOST_COLD
        end

        def unsteady
          problem(:unsteady, false, ratio: drift) if drift > STEADY
        end

        def slowed
          problem(:slowed, false, ratio: 1 / drift) if drift < 1 / STEADY
        end

        # Running time of like units, first third against last third. Within each series, so that another mix
        # is not a drift.
        def drift
          return 1.0 if @figures.unit_samples.size < FEWEST_UNIT_SAMPLES
          @drift ||= begin
            unit_samples = @figures.unit_samples
            first, _, last = unit_samples.each_slice((unit_samples.size / 3.0).ceil).to_a
            Math.exp(mean_log(first, unit_samples) - mean_log(last, unit_samples))
          end
        end

        def mean_log(some, all)
          @usual ||= all.group_by(&:series).transform_values { |own|
            own.sum { |unit_sample| log(unit_sample) } / own.size
          }
          some.sum { |unit_sample| log(unit_sample) - @usual[unit_sample.series] } / some.size
        end

        def log(unit_sample)
          Math.log([unit_sample.running_ns, 1].max)
        end

        def cpu_saturated
          cpu_share = @figures.cpu_share
          problem(:cpu_saturated, false, cpu_share:) if cpu_share.to_f > CPU_SHARE
        end

        def held_without_cpu
          held_per_cpu = @figures.held_per_cpu
          return unless held_per_cpu > HELD_PER_CPU
          problem(:held_without_cpu, false, starved_share: 1 - 1 / held_per_cpu)
        end

        def machine_speed
          ratio = @figures.machine_speed.variation
          problem(:machine_speed, false, ratio:) if ratio.to_f > MACHINE_VARIATION
        end

        def pool_bound
          share = @figures.pool_share
          problem(:pool_bound, false, pool_share: share) if share > POOL_SHARE
        end

        def lock_bound
          share = @figures.lock_share
          problem(:lock_bound, false, lock_share: share) if share > LOCK_SHARE
        end

        def few_unit_samples
          unit_samples = @figures.unit_samples.size
          return if unit_samples >= FEWEST_UNIT_SAMPLES || warming_up
          problem(:few_unit_samples, false, unit_samples:, needed: FEWEST_UNIT_SAMPLES)
        end

        def problem(kind, refusal, **facts)
          RecordingProblem.new(kind:, refusal:, facts:)
        end
      end
    end
  end
end
