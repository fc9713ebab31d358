# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # The life of one process, as far as its samples say: what its JIT was at last, and what it did before.
      class ProcessLife
        GAUGES = %i[jit_saturated jit_enabled_ns jit_warm_ns jit_code_bytes jit_alloc_bytes jit_limit_bytes
          jit_compiled_iseqs jit_live_iseqs jit_invalidations jit_failures jit_code_gcs jit_redefined].freeze
        # These do not change when the memory is full, whatever its limit; compile time still grows then.
        SIZES = %i[jit_compiled_iseqs jit_code_bytes jit_alloc_bytes].freeze
        # Number of samples in a row.
        STUCK = 5
        LOCAL = %w[development test].freeze
        PROFILE_KEYS = JitFacts.members.map { |name| :"jit.#{name}" }.freeze

        attr_reader :facts
        attr_reader :killer
        attr_reader :trail

        def initialize(trail, setting: {})
          @trail = trail
          @setting = setting
          profile = PROFILE_KEYS.to_h { |key| [key.name, trail[key]] }
          @facts = JitFacts.of(setting, profile, GAUGES.to_h { |key| [key, trail[key]] })
          @killer = MemoryKiller.of(trail)
        end

        def [](key) = @setting[key]

        def ruby
          version = self["ruby"]
          version && RubyVersion.parse(version)
        end

        def server = @trail[:server]

        def host = @trail[:host]

        def name = @trail[:name]

        def pid = @trail[:pid]

        def ended? = !!@trail[:ended]

        # Memory and speed do not matter on a developer's machine.
        def local?
          LOCAL.include?(self["environment"])
        end

        def worker?
          name.to_s.start_with?("worker ")
        end

        def origin
          ActivationOrigins::ProcessOrigin.new(facts:, server:, worker: worker?, refork: !!self["refork"])
        end

        # Nothing more is compiled: the limit is reached, or compiling fails.
        def full?
          !!facts.saturated || @trail.grown(:jit_failures).to_i.positive?
        end

        # The JIT compiles in vain: the memory is full although no known limit is reached.
        def stuck?
          pairs = @trail.points(:jit_compile_ns, *SIZES).last(STUCK + 1).each_cons(2).to_a
          return false if pairs.size < STUCK
          pairs.all? do |(_, before_ns, *before), (_, now_ns, *now)|
            now == before && now_ns > before_ns
          end
        end

        def born_s
          @trail[:since_s] || @trail.first_s
        end

        def last_s = @trail.last_s

        def age_s = last_s - born_s

        def units = @trail[:units]

        def rss_bytes = @trail[:rss_bytes]

        def master_pid = @trail[:master_pid]

        def master_rss_bytes
          @trail[:master_rss_bytes]
        end

        def warm_s
          facts.warm_ns && facts.warm_ns / NS
        end

        # Seconds from when the JIT was switched on.
        def warm_after_s
          warm_s - facts.since_ns / NS if warm_s && facts.since_ns
        end

        # Units that it had measured by then, interpolated between samples.
        def warm_after_units
          warm_s && @trail.at(:units, warm_s)&.round
        end

        # Samples from the moment it was warm.
        def warm_trail
          warm_s && @trail.since(warm_s)
        end

        # @return [Array<Array(Symbol, Integer)>] what happened and when (seconds since 1970), in order
        def events
          events = {boot: born_s, enabled: facts.since_ns && facts.since_ns / NS, warm: warm_s,
                    saturated: @trail.first_with(:jit_saturated, 1), exit: ended? ? last_s : nil}
          events.compact.sort_by { |_, at_s| at_s }
        end

        # Age in seconds and interpreted instructions for each unit, from sample to sample.
        def warm_up
          for_each_unit(:jit_interpreted_instructions)
        end

        # Entries compiled for each unit, where instructions are not counted (Ruby 4.0).
        def compiling
          for_each_unit(:"jit.entries")
        end

        private

        def for_each_unit(counter)
          pairs = @trail.points(:units, counter).each_cons(2)
          pairs.filter_map do |(_, units, before), (at_s, units_now, now)|
            [at_s - born_s, (now - before).fdiv(units_now - units)] if units_now > units && now >= before
          end
        end
      end
    end

    class JitReport
      class ProcessLife
        # How long workers live and how many units they take in that time: each starts cold, with nothing
        # compiled.
        # - `server`: "puma", "unicorn" ...; `ended`, `alive`: workers
        # - `units`, `seconds`: median of those that ended; `jit`: whether they had YJIT
        class WorkerLifetimes < Data.define(:server, :ended, :alive, :units, :seconds, :jit)
          # A worker should take so many units and live so long to profit from what it compiles.
          ENOUGH = 1000
          ENOUGH_S = 1800

          # One for each server whose workers have ended.
          def self.of(samples)
            workers = samples.select { |sample| sample[:name].to_s.start_with?("worker ") }
            trails = ProcessReport::SampleTrail.by_process(workers.sort_by { |sample| sample[:at_s] })
            by_server = trails.values.map(&:last).group_by { |sample| sample[:server] }
            by_server.filter_map do |server, last|
              ended, alive = last.partition { |sample| sample[:ended] }
              build(server, ended, alive)
            end
          end

          def self.build(server, ended, alive)
            known = ended.select { |sample| sample[:units] && sample[:since_s] }
            return if known.empty?
            new(server:, ended: ended.size, alive: alive.size,
              units: median(known.map { |sample| sample[:units] }),
              seconds: median(known.map { |sample| sample[:at_s] - sample[:since_s] }),
              jit: known.any? { |sample| sample[:jit_enabled] == 1 && sample[:"jit.kind"] != "zjit" })
          end

          def self.median(values)
            values.sort[(values.size - 1) / 2]
          end
          private_class_method :build, :median

          def short?
            units < ENOUGH || seconds < ENOUGH_S
          end

          # Workers have YJIT, and are replaced again and again before it pays.
          def wasted?
            jit && recycled? && short?
          end

          # Whether they were replaced more than twice in the time. A deployment or two replaces all of them
          # as well, and a server that was stopped has no workers left.
          def recycled?
            alive.positive? && ended > 2 * alive
          end
        end
      end
    end
  end
end
