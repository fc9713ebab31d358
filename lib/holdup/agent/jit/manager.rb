# frozen_string_literal: true

require_relative "memory_killers"
require_relative "activation"
require_relative "effectiveness"
require_relative "../runtime/resources"

module Holdup
  module Jit
    # The JIT of a process that takes units. Called when measuring starts (the
    # application is loaded, no unit is taken yet) and at each tick. So it switches YJIT on in every worker,
    # never in a master. A reforking server forks its next generation from such a worker, with its compiled
    # code.
    class Manager
      include Runtime::Resource

      # Source of a limit that other code passed to `enable` and that can't be read back.
      UNKNOWN = "unknown"

      # @param wish [#call] gives `config.jit`
      # @param chance [#call] gives 0.0...1.0 without advancing the application's random sequence
      def initialize(
        wish:, guard:, log:, clock:,
        options: RubyOptions.read,
        version: RubyVersion.here,
        yjit: Jit.yjit,
        zjit: Jit.zjit,
        effectiveness: Effectiveness.new(api: yjit, version:),
        chance: -> { Random.new.rand }
      )
        @wish = wish
        @guard = guard
        @log = log
        @clock = clock
        @options = options
        @version = version
        @yjit = yjit
        @zjit = zjit
        @chance = chance
        @origin = ActivationOrigin.new(options:, clock:, version:)
        @warm_up = WarmUpDetector.new(clock:)
        @effectiveness = EffectivenessMonitor.new(effectiveness:, guard:, clock:)
      end

      # The first call in a process also switches the JIT on, when `config.jit` asks for it.
      def install
        begin_in_this_process unless @begun
        look
        look if @effectiveness.observe(@state)
      end

      def after_fork
        @begun = nil
        @effectiveness.after_fork
        @prepared = GC.stat(:compact_count).positive?
        @origin.after_fork(read)
        @warm_up = WarmUpDetector.new(clock: @clock)
      end

      # The state at the last look.
      def state = @state ||= read

      def facts
        {
          "jit" => state.kind.to_s,
          "jit_options" => @options.to_s,
          "jit_by" => @origin.by,
          "jit_effective" => @effectiveness.effective,
          "jit_stats" => ("on" if state.deep?)
        }
      end

      # The keys are the names of Segment::Layout::GAUGES.
      def gauges
        {
          jit_enabled: flag(state.enabled?),
          jit_code_bytes: state.code_bytes,
          jit_alloc_bytes: state.metadata_bytes,
          jit_compiled_iseqs: state.compiled_iseqs,
          jit_compile_ns: state.compile_ns,
          jit_interpreted_instructions: state.interpreted_instructions,
          jit_live_iseqs: state.live_iseqs,
          jit_limit_bytes: state.limit&.bytes,
          jit_saturated: flag(state.saturated?),
          jit_invalidations: state.invalidated,
          jit_enabled_ns: @origin.since_ns,
          jit_warm_ns: @warm_up.since_ns,
          jit_failures: state.failures,
          jit_code_gcs: state.code_gcs,
          jit_redefined: state.redefined,
          jit_compiled_instructions: state.compiled_instructions
        }
      end

      # @return [Hash{String => Object}] what explains it, for the segment's profile
      def profile
        details = state.enabled? ? profile_of_enabled : {}
        {
          "jit.kind" => state.kind.to_s,
          "jit.wish" => requested.action&.to_s,
          "jit.available" => !!@yjit,
          "jit.rubyopt" => @missing,
          "jit.parent" => {true => "on", false => "off"}[@origin.on_in_parent],
          "jit.prepared" => @prepared,
          **details,
          **@killer.to_h
        }.compact
      end

      private

      def requested = RequestedMode.from(@wish.call)

      def profile_of_enabled
        {
          "jit.by" => @origin.by,
          "jit.at" => @origin.at&.to_s,
          "jit.threshold" => state.call_threshold,
          "jit.ratio_in_yjit" => state.ratio_in_yjit&.floor,
          "jit.entries" => (state.entries unless state.interpreted_instructions),
          "jit.limit_of" => state.limit&.of&.to_s,
          "jit.limit_from" => state.limit&.source || UNKNOWN,
          "jit.suspects" => (TracePointSuspects.loaded.join(", ") if @effectiveness.effective == false)
        }
      end

      def begin_in_this_process
        @begun = true
        @killer = @guard.call(:killers) { MemoryKillers.here&.facts }
        return unless requested.on?
        warn_of_impossible_requests
        enable
      end

      def enable
        return enable_zjit unless @yjit
        deep = requested.deep(@chance.call)
        arguments = requested.arguments(@version)
        if Activation.new(jit: @yjit, other: @zjit).call(**arguments, **deep)
          @origin.enabled_by_us(arguments)
        elsif @zjit&.enabled?
          warn_of_zjit
        else
          warn_of_missing_statistics(deep)
        end
      end

      # It takes no arguments: its options are given to Ruby when it starts.
      def enable_zjit
        jit = Jit.recommended(yjit: @yjit, zjit: @zjit)
        @origin.enabled_by_us({}) if Activation.new(jit:).call
      end

      def warn_of_zjit
        @log.warn("ZJIT is on, so config.jit can't switch YJIT on: only one JIT can be; " \
          "remove --zjit or RUBY_ZJIT_ENABLE from the environment and restart")
      end

      # Only the call that switches YJIT on can ask for statistics.
      def warn_of_missing_statistics(deep)
        return if deep.empty? || !@yjit || read.deep?
        @log.warn("YJIT was on already, so this process has no deep statistics; " \
          "leave switching it on to Holdup (config.yjit = false in Rails), " \
          'or start one process with RUBYOPT="--yjit-disable --yjit-stats=quiet"')
      end

      def warn_of_impossible_requests
        unless Jit.recommended(yjit: @yjit, zjit: @zjit)
          @log.warn("this Ruby has no JIT that config.jit could switch on")
        end
        @missing = requested.rubyopt(@version, @options, jit: @yjit ? :yjit : :zjit)
        return unless @missing
        @log.warn("Ruby #{RUBY_VERSION} takes these options only when it starts: RUBYOPT=\"#{@missing}\"")
      end

      def look
        @origin.observe(read) unless @origin.by # the origin decides which limits are known
        @state = read
        @warm_up.observe(@state)
      end

      def read
        state = read_yjit
        return state if state.enabled? || !@zjit
        Zjit.new(api: @zjit, options: @options).state
      end

      def read_yjit
        return Snapshot.new unless @yjit
        Yjit.new(api: @yjit, version: @version, options: @options, given: @origin.enable_arguments).state
      end

      def flag(value) = {true => 1, false => 0}[value]
    end

    # Detects when a process is warm: it hardly compiles any more, and the interpreter's share of the work has
    # stopped falling. Intervals are CPU time, so an idle process does not count as warm.
    class WarmUpDetector
      INTERVAL_NS = 1_000_000_000
      # Growth of compiled code within an interval that counts as still compiling.
      GROWTH = 0.01
      # Fall of the interpreter's share within an interval that counts as still warming up.
      FALL = 0.1
      # Intervals in a row without either.
      STEADY_INTERVALS = 3
      CPU_CLOCK = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) }

      attr_reader :since_ns

      def initialize(clock:, cpu: CPU_CLOCK, interval_ns: INTERVAL_NS)
        @interval_ns = interval_ns
        @clock = clock
        @cpu = cpu
        @steady = 0
      end

      def observe(state)
        return if @since_ns || !state.enabled? || !state.compiled_iseqs
        now_ns = @cpu.call
        begin_interval(state, now_ns) unless @before
        end_interval(state, now_ns) if now_ns - @began_ns >= @interval_ns
      end

      private

      def begin_interval(state, now_ns)
        @before = state
        @began_ns = now_ns
      end

      def end_interval(state, now_ns)
        rate = interpreted(state)&.fdiv(now_ns - @began_ns)
        @steady = (grown?(state) || fallen?(rate)) ? 0 : @steady + 1
        @rate = rate
        begin_interval(state, now_ns)
        @since_ns = @clock.realtime_ns if @steady == STEADY_INTERVALS
      end

      def grown?(state)
        state.compiled_iseqs - @before.compiled_iseqs > state.compiled_iseqs * GROWTH
      end

      def fallen?(rate)
        @rate && rate && rate < @rate * (1 - FALL)
      end

      def interpreted(state)
        now = state.interpreted_instructions
        before = @before.interpreted_instructions
        now - before if now && before
      end
    end
  end
end
