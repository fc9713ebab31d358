# frozen_string_literal: true

# A StatsLog over a segment that the test writes, and the lines that it made.
class StatsLines
  # Takes lines until it is full.
  class Sink
    attr_reader :texts
    attr_accessor :full, :error

    def initialize
      @texts = []
    end

    def call(line)
      raise error if error
      full ? false : !!@texts.push(line)
    end
  end

  SETTING = '{"app":"shop","environment":"production","revision":"abc","ruby":"3.4.5","jit":"yjit",' \
    '"jit_by":"holdup","jit_effective":true}'
  # What the YJIT of a process with some traffic says.
  GAUGES = {jit_enabled: 1, jit_saturated: 0, jit_code_bytes: 4 << 20, jit_alloc_bytes: 8 << 20,
            jit_limit_bytes: 128 << 20, jit_compiled_iseqs: 900, jit_live_iseqs: 9000, jit_invalidations: 3,
            jit_enabled_ns: 1_699_999_990_000_000_000, jit_compile_ns: 70_000_000,
            jit_interpreted_instructions: 1_000_000, cpu_ns: 5_000_000_000}.freeze

  attr_reader :segment, :sink, :clock, :log, :stats, :gauges

  # @param dir [String]
  # @param options [Hash] as `config.stats_log` takes them
  def initialize(dir, worker: 0, **options)
    @segment = SegmentWriter.new(dir, worker:)
    @segment.setting = SETTING
    @segment.profile = {"server" => "puma", "jit.limit_of" => "total"}
    @sink = Sink.new
    @clock = HandClock.new
    @log = CollectedLog.new
    @gauges = {}
    @stats = Holdup::StatsLog.build(Holdup::StatsLog::LogOptions.from(options), probe: self, log: @log,
      gauges: -> { @gauges }, clock: @clock, sink: @sink)
  end

  # As the probe does.
  def read_segment(offset, length)
    bytes = File.binread(@segment.path, length, offset)
    bytes if bytes&.bytesize == length
  end

  def gauge(**values)
    values.each { |name, value| @segment.gauge(name, value) }
  end

  # @return [Hash, nil] the last line after so many seconds
  def after(seconds)
    @clock.monotonic_ns += seconds * 1_000_000_000
    @clock.realtime_ns += seconds * 1_000_000_000
    @stats.tick
    lines.last
  end

  def lines
    @sink.texts.map { |text| JSON.parse(text) }
  end

  def events
    lines.map { |line| line["event"] }
  end
end
