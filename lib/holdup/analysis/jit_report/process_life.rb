# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # The life of one process, as far as its samples say: what its JIT was at last, and what it did before.
      class ProcessLife
        NS = 1_000_000_000
        GAUGES = %i[jit_saturated jit_enabled_ns jit_warm_ns jit_code_bytes jit_alloc_bytes jit_limit_bytes
          jit_compiled_iseqs jit_live_iseqs jit_invalidations jit_failures jit_code_gcs jit_redefined].freeze
        # These do not change when the memory is full, whatever its limit; compile time still grows then.
        SIZES = %i[jit_compiled_iseqs jit_code_bytes jit_alloc_bytes].freeze
        # Samples in a row.
        STUCK = 5
        LOCAL = %w[development test].freeze
        PROFILE_KEYS = JitFacts.members.map { |name| :"jit.#{name}" }.freeze

        # @return [JitFacts] as last known
        attr_reader :facts
        # @return [MemoryKiller, nil]
        attr_reader :killer
        # @return [ProcessReport::SampleTrail]
        attr_reader :trail

        # @param trail [ProcessReport::SampleTrail]
        # @param setting [Hash{String => Object}] attributes
        def initialize(trail, setting: {})
          @trail = trail
          @setting = setting
          profile = PROFILE_KEYS.to_h { |key| [key.name, trail[key]] }
          @facts = JitFacts.of(setting, profile, GAUGES.to_h { |key| [key, trail[key]] })
          @killer = MemoryKiller.of(trail)
        end

        # @return [Object, nil] a fact of its setting
        def [](key) = @setting[key]

        # @return [Jit::RubyDefaults, nil]
        def ruby
          version = self["ruby"]
          version && Jit::RubyDefaults.parse(version)
        end

        # @return [String, nil] "puma", "sidekiq" ...
        def server = @trail[:server]

        # @return [String]
        def host = @trail[:host]

        # @return [String, nil] "worker 0", "pid 123"
        def name = @trail[:name]

        # @return [Integer]
        def pid = @trail[:pid]

        # @return [Boolean]
        def ended? = !!@trail[:ended]

        # @return [Boolean] on a developer's machine, where memory and speed do not matter
        def local? = LOCAL.include?(self["environment"])

        # @return [Boolean] one of a forking server
        def worker? = name.to_s.start_with?("worker ")

        # @return [ActivationOrigins::ProcessOrigin]
        def origin
          ActivationOrigins::ProcessOrigin.new(facts:, server:, worker: worker?, refork: !!self["refork"])
        end

        # @return [Boolean] nothing more is compiled: the limit is reached, or compiling fails
        def full?
          !!facts.saturated || @trail.grown(:jit_failures).to_i.positive?
        end

        # @return [Boolean] it compiles in vain: the memory is full although no known limit is reached
        def stuck?
          pairs = @trail.points(:jit_compile_ns, *SIZES).last(STUCK + 1).each_cons(2).to_a
          return false if pairs.size < STUCK
          pairs.all? do |(_, before_ns, *before), (_, now_ns, *now)|
            now == before && now_ns > before_ns
          end
        end

        # @return [Integer] seconds since 1970
        def born_s
          @trail[:since_s] || @trail.first_s
        end

        # @return [Integer] seconds since 1970: of its last sample
        def last_s = @trail.last_s

        # @return [Integer] seconds
        def age_s = last_s - born_s

        # @return [Integer, nil] that it has measured
        def units = @trail[:units]

        # @return [Integer, nil] as last known
        def rss_bytes = @trail[:rss_bytes]

        # @return [Integer, nil] of the master that it was forked from
        def master_pid = @trail[:master_pid]

        # @return [Integer, nil] resident memory of that, as last known
        def master_rss_bytes = @trail[:master_rss_bytes]

        # @return [Integer, nil] seconds since 1970
        def warm_s
          facts.warm_ns && facts.warm_ns / NS
        end

        # @return [Integer, nil] seconds from when it was switched on
        def warm_after_s
          warm_s - facts.since_ns / NS if warm_s && facts.since_ns
        end

        # @return [Integer, nil] units that it had measured by then, interpolated between samples
        def warm_after_units
          warm_s && @trail.at(:units, warm_s)&.round
        end

        # @return [ProcessReport::SampleTrail, nil] its samples from then on
        def warm_trail
          warm_s && @trail.since(warm_s)
        end

        # @return [Array<Array(Symbol, Integer)>] what happened to it and when (seconds since 1970), in that
        #   order
        def events
          events = {boot: born_s, enabled: facts.since_ns && facts.since_ns / NS, warm: warm_s,
                    saturated: @trail.first_with(:jit_saturated, 1), exit: ended? ? last_s : nil}
          events.compact.sort_by { |_, at_s| at_s }
        end

        # @return [Array<Array(Integer, Float)>] age in seconds and interpreted instructions for each unit,
        #   from sample to sample
        def warm_up
          for_each_unit(:jit_interpreted_instructions)
        end

        # Where instructions are not counted (Ruby 4.0).
        # @return [Array<Array(Integer, Float)>] age in seconds and entries that were compiled for each unit,
        #   from sample to sample
        def compiling = for_each_unit(:"jit.entries")

        private

        def for_each_unit(counter)
          pairs = @trail.points(:units, counter).each_cons(2)
          pairs.filter_map do |(_, units, before), (at_s, units_now, now)|
            [at_s - born_s, (now - before).fdiv(units_now - units)] if units_now > units && now >= before
          end
        end
      end
    end
  end
end
