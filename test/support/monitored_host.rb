# frozen_string_literal: true

require "tmpdir"

# Processes that measure, as `holdup top` reads them, with time that is moved by hand.
class MonitoredHost
  NS = 1_000_000_000

  # @yieldparam host [MonitoredHost]
  def self.open
    Dir.mktmpdir { |dir| yield new(dir) }
  end

  # A Clock for readers.
  attr_reader :monotonic_ns, :realtime_ns, :dir

  def initialize(dir)
    @dir = dir
    @monotonic_ns = 0
    @realtime_ns = 1_790_000_000 * NS
    @writers = []
    @monitor = Holdup::Top::Reader.new(dir, clock: self)
  end

  # @return [SegmentWriter] of a process that lives and ticks; pid 1 always does
  def process(**options)
    SegmentWriter.new(@dir, now_ns: @realtime_ns, **options).tap { |writer| @writers << writer }
  end

  # So many seconds later; every process has ticked.
  def pass(seconds)
    @monotonic_ns += seconds * NS
    @realtime_ns += seconds * NS
    @writers.each { |writer| writer.heartbeat(@realtime_ns) }
  end

  def realtime_s = @realtime_ns / NS

  # @return [Array<Holdup::Top::ProcessReadings>]
  def look = @monitor.look
end
