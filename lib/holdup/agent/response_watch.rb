# frozen_string_literal: true

require_relative "../model/change_reason"
require_relative "stats_log/process_reading"

module Holdup
  # Whether the requests of this process keep the promise of `config.autopilot`: short windows, from its own
  # segment. Two of them in a row that break it are a breach. It reads only while the autopilot has set other
  # threads than configured.
  class ResponseWatch
    # Fewer requests of a window say nothing.
    FEWEST = 20
    # Number of breaches in a row.
    BREACHES = 2
    # Rows of requests; what has no row of its own is in the overflow.
    KINDS = %i[request overflow].freeze

    # @param segment [#reader] StatsLog::OwnSegment
    def initialize(segment:, clock:)
      @segment = segment
      @clock = clock
      stop
    end

    # Begins with the requests that end from now on.
    def start(goal)
      @goal = goal
      @broken = []
      begin_window
    end

    def stop = @goal = @broken = @since = @reader = @requests = nil

    # @return [String, nil] why the promise is broken (a ChangeReason); nil as long as it is not
    def call
      return unless @goal && @clock.monotonic_ns - @since.at_ns >= @goal.window * 1_000_000_000
      before = @since
      begin_window
      broken = broken(before)
      broken ? @broken << broken : @broken.clear
      @broken.last if @broken.size >= BREACHES
    rescue SegmentError => error
      ChangeReason.of(:unreadable, error: error.message).to_s
    end

    private

    # The count of one row of the segment.
    RequestCount = Data.define(:series, :count, :errors) do
      def self.parse(bytes, known = nil)
        count, errors = bytes.unpack("Q<2", offset: Segment::Layout::COUNT_OFFSET)
        series = known&.series || Segment::Slot.parse_series(bytes)
        series && new(series:, count:, errors:)
      end
    end
    private_constant :RequestCount

    # `units`, `failed`: requests by then; `head`: of the ring
    WindowStart = Data.define(:at_ns, :head, :units, :failed)
    private_constant :WindowStart

    def begin_window
      @reader = @segment.reader
      @requests = requests
      @since = WindowStart.new(at_ns: @clock.monotonic_ns, head: @reader.header.ring_head,
        units: @requests.values.sum(&:count), failed: @requests.values.sum(&:errors))
    end

    def requests
      rows = Array.new(@reader.header.series_count) do |index|
        [index, @reader.slot(index, @requests&.dig(index), as: RequestCount)]
      end
      rows.to_h.select { |_, row| row && KINDS.include?(row.series.kind) }
    end

    def broken(before)
      count = @since.units - before.units
      return if count < FEWEST
      share = (@since.failed - before.failed).fdiv(count)
      if share > @goal.errors
        return ChangeReason.of(:errors, share: (100 * share).round(1), count:).to_s
      end
      times = times(before.head)
      return if times.size < FEWEST
      found_ns = times[((times.size - 1) * @goal.percentile).ceil]
      return unless found_ns > @goal.limit_ns
      ChangeReason.of(:slow, percentile: @goal.slo.split("=").first, count:, found: found_ns / 1_000_000,
        goal: @goal.slo).to_s
    end

    # @return [Array<Integer>] ns from arrival to end
    def times(head)
      entries = @reader.ring(since: head).select { |entry| @requests.key?(entry.series_index) }
      entries.map { |entry| entry.wall_ns + entry.queued_ns.to_i }.sort
    end
  end
end
