# frozen_string_literal: true

require_relative "memory_killers"
require_relative "activation"
require_relative "effectiveness"

module Holdup
  module Jit
    # Keeps the JIT of a process that takes units: as the runtime's resource it is called when measuring
    # starts there, which is when its server is ready (application loaded, no unit taken yet), and at each
    # tick. So that is where YJIT is switched on when `config.jit` asks for it: in every worker, never in a
    # master. A reforking server forks its next generation from such a worker, which hands on what is
    # compiled.
    class Manager
      # Of limits that somebody has passed to `enable`, and nobody can ask for.
      UNKNOWN = "unknown"

      # @param wish [#call] gives `config.jit`
      # @param guard [Guard]
      # @param log [#warn]
      # @param clock [#realtime_ns, #monotonic_ns]
      # @param options [CommandLine] of Ruby's start
      # @param version [RubyDefaults]
      # @param yjit [Module, nil] RubyVM::YJIT
      # @param zjit [Module, nil] RubyVM::ZJIT
      # @param effectiveness [#call] takes a State
      # @param chance [#call] gives 0.0...1.0; the application's own sequence is not touched
      def initialize(wish:, guard:, log:, clock:, options: CommandLine.read, version: RubyDefaults.parse(RUBY_VERSION), yjit: Jit.yjit, zjit: Jit.zjit,
        effectiveness: Effectiveness.new(api: yjit, version:), chance: -> { Random.new.rand })
        @wished = wish
        @guard = guard
        @log = log
        @clock = clock
        @options = options
        @version = version
        @yjit = yjit
        @zjit = zjit
        @chance = chance
        @origin = ActivationOrigin.new(options:, clock:, version:)
        @warmth = WarmUpDetector.new(clock:)
        @verdict = EffectivenessMonitor.new(effectiveness:, guard:, clock:)
      end

      # A look at the JIT; the first one in a process also switches it on, when that is asked for.
      # @return [void]
      def install
        begin_in_this_process unless @begun
        look
        look if @verdict.see(@state)
      end

      # In a process that was just forked.
      # @return [void]
      def born
        @begun = nil
        @verdict.born
        @prepared = GC.stat(:compact_count).positive?
        @origin.born(read)
        @warmth = WarmUpDetector.new(clock: @clock)
      end

      # @return [Snapshot] as of the last look
      def state = @state ||= read

      # @return [Hash{String => Object}] what of it changes results
      def facts
        {"jit" => state.kind.to_s, "jit_options" => @options.to_s, "jit_by" => @origin.by, "jit_effective" => @verdict.effective, "jit_stats" => (if state.deep?
                                                                                                                                                    "on"
                                                                                                                                                  end)}
      end

      # @return [Array] none
      def pools = []

      # @return [Hash{Symbol => Integer, nil}] by the names of Segment::Layout::GAUGES
      def gauges
        {jit_enabled: flag(state.enabled?), jit_code_bytes: state.code_bytes, jit_alloc_bytes: state.metadata_bytes,
         jit_compiled_iseqs: state.compiled_iseqs, jit_compile_ns: state.compile_ns,
         jit_interpreted_instructions: state.interpreted_instructions, jit_live_iseqs: state.live_iseqs,
         jit_limit_bytes: state.limit&.bytes, jit_saturated: flag(state.saturated?), jit_invalidations: state.invalidated,
         jit_enabled_ns: @origin.since_ns, jit_warm_ns: @warmth.since_ns, jit_failures: state.failures, jit_code_gcs: state.code_gcs,
         jit_redefined: state.redefined, jit_compiled_instructions: state.compiled_instructions}
      end

      # @return [Hash{String => Object}] what people ask about it, for the segment's profile
      def profile
        {"jit.kind" => state.kind.to_s, "jit.wish" => wish.action&.to_s, "jit.available" => !!@yjit, "jit.rubyopt" => @missing,
         "jit.parent" => on_or_off(@origin.on_in_parent), "jit.prepared" => @prepared, **(state.enabled? ? details : {}), **@killer.to_h}.compact
      end

      private

      def wish = RequestedMode.from(@wished.call)

      def details
        {"jit.by" => @origin.by, "jit.at" => @origin.at&.to_s, "jit.threshold" => state.call_threshold, "jit.ratio_in_yjit" => state.ratio_in_yjit&.floor,
         "jit.entries" => (unless state.interpreted_instructions
                             state.entries
                           end), "jit.limit_of" => state.limit&.of&.to_s,
         "jit.limit_from" => state.limit&.source || UNKNOWN, "jit.suspects" => (if @verdict.effective == false
                                                                                  TracePointSuspects.loaded.join(", ")
                                                                                end)}
      end

      def begin_in_this_process
        @begun = true
        @killer = @guard.call(:killers) { MemoryKillers.here&.facts }
        say_what_can_not_be
        enable if wish.on?
      end

      def enable
        deep = wish.deep(@chance.call)
        arguments = wish.arguments(@version)
        unless Activation.new(yjit: @yjit, zjit: @zjit).call(**arguments, **deep)
          return say_who_was_first(deep)
        end
        @origin.ours(arguments)
      end

      # Only who switches it on can ask for statistics.
      def say_who_was_first(deep)
        return if deep.empty? || !@yjit || read.deep?
        @log.warn("YJIT was on already, so this process has no deep statistics; leave switching it on to Holdup (config.yjit = false in Rails), " \
          'or start one process with RUBYOPT="--yjit-disable --yjit-stats=quiet"')
      end

      def say_what_can_not_be
        @missing = wish.rubyopt(@version, @options) if wish.on?
        @log.warn("this Ruby has no YJIT, so config.jit can't switch it on") if wish.on? && !@yjit
        if @missing
          @log.warn("Ruby #{RUBY_VERSION} takes these options only when it starts: RUBYOPT=\"#{@missing}\"")
        end
      end

      def look
        @origin.see(read) unless @origin.by # who it was tells what its limits are
        @state = read
        @warmth.see(@state)
      end

      def read
        state = @yjit ? Yjit.new(api: @yjit, version: @version, options: @options,
          given: @origin.given).state : Snapshot.new
        (state.enabled? || !@zjit) ? state : Zjit.new(api: @zjit, options: @options).state
      end

      def flag(value) = {true => 1, false => 0}[value]

      def on_or_off(value)
        {true => "on", false => "off"}[value]
      end
    end

    # When a process has become warm: hardly anything is compiled any more, and the interpreter's part of the
    # work has stopped to fall. Judged over stretches of work, not of time, so that an idle process is not
    # taken for a warm one.
    class WarmUpDetector
      # CPU time of the process that makes a stretch.
      STRETCH_NS = 1_000_000_000
      # Growth of what is compiled, and fall of the interpreter's part, within a stretch.
      GROWTH = 0.01
      FALL = 0.1
      STRETCHES = 3

      # @return [Integer, nil] nanoseconds since 1970
      attr_reader :since_ns

      # @param clock [#realtime_ns]
      # @param cpu [#call] CPU time of the process in nanoseconds
      # @param stretch_ns [Integer]
      def initialize(clock:,
        cpu: -> {
          Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID,
            :nanosecond)
        }, stretch_ns: STRETCH_NS)
        @stretch_ns = stretch_ns
        @clock = clock
        @cpu = cpu
        @quiet = 0
      end

      # @param state [Snapshot] as it is now
      # @return [void]
      def see(state)
        return if @since_ns || !state.enabled? || !state.compiled_iseqs
        now_ns = @cpu.call
        begin_stretch(state, now_ns) unless @before
        judge(state, now_ns) if now_ns - @began_ns >= @stretch_ns
      end

      private

      def begin_stretch(state, now_ns)
        @before = state
        @began_ns = now_ns
      end

      def judge(state, now_ns)
        rate = interpreted(state)&.fdiv(now_ns - @began_ns)
        @quiet = (grown?(state) || fallen?(rate)) ? 0 : @quiet + 1
        @rate = rate
        begin_stretch(state, now_ns)
        @since_ns = @clock.realtime_ns if @quiet == STRETCHES
      end

      def grown?(state)
        state.compiled_iseqs - @before.compiled_iseqs > state.compiled_iseqs * GROWTH
      end

      def fallen?(rate)
        @rate && rate && rate < @rate * (1 - FALL)
      end

      def interpreted(state)
        state.interpreted_instructions && @before.interpreted_instructions && state.interpreted_instructions - @before.interpreted_instructions
      end
    end
  end
end
