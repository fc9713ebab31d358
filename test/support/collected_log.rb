# frozen_string_literal: true

# A log that keeps its lines: warnings apart from what is as it should be.
class CollectedLog
  attr_reader :lines, :infos

  def initialize
    @lines = []
    @infos = []
  end

  def info(line)
    @infos << line
    nil
  end

  def warn(line)
    @lines << line
    nil
  end
end

# A clock that stands until it is moved.
class HandClock
  attr_accessor :realtime_ns, :monotonic_ns

  def initialize(realtime_ns: 1_700_000_000_000_000_000, monotonic_ns: 0)
    @realtime_ns = realtime_ns
    @monotonic_ns = monotonic_ns
  end

  def realtime_s = @realtime_ns / 1_000_000_000
end
