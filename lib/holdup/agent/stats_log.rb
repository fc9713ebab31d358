# frozen_string_literal: true

require_relative "stats_log/encoding"
require_relative "stats_log/log_line"
require_relative "stats_log/log_options"
require_relative "stats_log/log_writer"
require_relative "stats_log/own_segment"
require_relative "stats_log/process_reading"
require_relative "stats_log/schedule"
require_relative "stats_log/sinks"
require_relative "stats_log/life_stages"

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
      tell_stages(@stages.see(header))
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
end
