# frozen_string_literal: true

require_relative "stats_log/log_line"
require_relative "stats_log/sinks"
require_relative "stats_log/process_reading"

module Holdup
  # Tells of this process in lines, for people whose tools eat log lines: one every so often with what it did
  # since the last one, and one at each turn of its life (boot, enabled, warm, saturated, exit). Loaded only
  # when `config.stats_log` asks for it. Called at each tick; whatever it can't write at once is dropped, so
  # that nothing waits for a log.
  class StatsLog
    # @param options [LogOptions]
    # @param probe [#read_segment]
    # @param log [#warn]
    # @param gauges [#call] gives {Symbol => Integer, nil} that the segment has no place for
    # @param clock [#realtime_ns, #monotonic_ns]
    # @param sink [#call]
    # @return [StatsLog]
    def self.build(options, probe:, log:, gauges:, clock:, sink: Sinks.for(options.to))
      segment = OwnSegment.new(probe)
      new(options, look: segment.method(:header), reading: -> { ProcessReading.take(segment, gauges: gauges.call, clock:) },
        outlet: LogWriter.new(sink:, log:), schedule: Schedule.new(every_s: options.every, share: options.sample, clock:))
    end

    # @param options [LogOptions]
    # @param look [#call] gives the Header of the own segment, nil while there is none: cheap
    # @param reading [#call] gives a Reading: dear
    # @param outlet [LogWriter]
    # @param schedule [Schedule]
    def initialize(options, look:, reading:, outlet:, schedule:)
      @options = options
      @look = look
      @reading = reading
      @outlet = outlet
      @schedule = schedule
      @stages = LifeStages.new
      @encoding = Encoding.for(options)
    end

    # Writes what is due.
    # @return [void]
    def tick
      header = @look.call
      return unless header && @options.chosen?(header)
      tell_stages(@stages.newly_reached(header))
      tell("stats") if @schedule.due?
    end

    # The last line of this process: what was not told yet.
    # @return [void]
    def close
      tell("exit") if @before
    end

    private

    # Levels only, so that each unit is in one line and sums of lines come out.
    def tell_stages(stages)
      return if stages.empty?
      now = @reading.call
      stages.each { |stage| write(stage, now, nil) }
      @before ||= now.with(totals: ProcessTotals.none)
    end

    def tell(event)
      now = @reading.call
      write(event, now, @before)
      @before = now
    end

    def write(event, now, before)
      @outlet.call(@encoding.call(LogLine.new(event, now, before, dropped: @outlet.dropped)))
    end
  end

  class StatsLog
    # What `config.stats_log` asks for.
    #
    # - `to`: :stdout, :stderr, a path, an IO or a Logger; `every`: seconds; `format`: :json or :emf
    # - `sample`: share of the lines that are written; `workers`: so many workers of a server write, nil for
    #   all
    # - `namespace`: of CloudWatch's metrics, for :emf
    LogOptions = Data.define(:to, :every, :format, :sample, :workers, :namespace) do
      # @param value [Object] of the configuration, checked there
      # @return [LogOptions]
      def self.from(value)
        new(**(value.is_a?(Hash) ? value : {to: value}))
      end

      def initialize(to: :stdout, every: 60, format: :json, sample: 1.0, workers: nil, namespace: "Holdup")
        super
      end

      # A fork that has not yet been told which worker it is may become any.
      # @param header [Segment::Header] of the process
      # @return [Boolean] whether this process writes
      def chosen?(header)
        return true unless workers
        header.worker_index.negative? ? header.generation.zero? : header.worker_index < workers
      end
    end

    # When the next line is due: every so often, a tenth earlier or later by chance, the first after a part of
    # it, so that the processes of a host don't all write in the same moment. By time and not by requests: an
    # idle process tells as well.
    class Schedule
      JITTER = 0.1
      NS = 1_000_000_000

      # @param every_s [Numeric]
      # @param share [Numeric] of the lines that are written
      # @param clock [#monotonic_ns]
      # @param random [#rand] one of its own: the application's sequence must not be touched
      def initialize(every_s:, share:, clock:, random: Random.new)
        @every_ns = every_s * NS
        @share = share
        @clock = clock
        @random = random
        wait(@random.rand)
      end

      # @return [Boolean] whether a line is to be written now; asking for it also sets the time of the next
      #   one
      def due?
        return false if @clock.monotonic_ns < @next_ns
        wait(1 - JITTER + 2 * JITTER * @random.rand)
        @random.rand < @share
      end

      private

      def wait(intervals)
        @next_ns = @clock.monotonic_ns + intervals * @every_ns
      end
    end

    # The turns of a process's life, each told once: it began to measure, its JIT was switched on, hardly
    # compiles any more, has no memory left.
    class LifeStages
      SIGNS = {
        "boot" => ->(_gauges) { true },
        "enabled" => ->(gauges) { gauges[:jit_enabled] == 1 },
        "warm" => ->(gauges) { gauges[:jit_warm_ns] },
        "saturated" => ->(gauges) { gauges[:jit_saturated] == 1 }
      }.freeze

      def initialize
        @past = []
      end

      # @param header [Segment::Header]
      # @return [Array<String>] those that are new
      def newly_reached(header)
        reached = SIGNS.filter_map { |stage, sign|
          stage if !@past.include?(stage) && sign.call(header.gauges)
        }
        @past += reached
        reached
      end
    end
  end
end
