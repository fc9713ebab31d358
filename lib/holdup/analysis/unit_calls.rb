# frozen_string_literal: true

module Holdup
  module Analysis
    # What the requests or jobs of one name called.
    #
    # - `units`: how many of them ran; `io_ns`: for which they waited for io or computed in native code
    # - `lines`: CallLine of each kind of call, those that took longest first
    UnitCalls = Data.define(:name, :units, :io_ns, :lines) do
      # @param windows [Enumerable<Holdup::Window>] of kind :call
      # @param units [Enumerable<Holdup::Window>] of the requests and jobs
      # @return [Array<UnitCalls>] those whose calls took longest first
      def self.all(windows, units:)
        lines = windows.group_by(&:series).map { |series, same| CallLine.of(series, Window.sum(same)) }
        by_name = lines.group_by(&:name)
        found = units.group_by { |window| window.series.name }.slice(*by_name.keys).map do |name, same|
          io_ns = same.sum { |window| window.sums.values_at(:io_ns, :native_ns).sum }
          lines = by_name.fetch(name).sort_by { |line| [-line.elapsed.sum, line.system, line.target.to_s] }
          new(name:, units: same.sum(&:count), io_ns:, lines:)
        end
        found.sort_by { |calls| [-calls.elapsed_ns, calls.name] }
      end

      def elapsed_ns = lines.sum { |line| line.elapsed.sum }

      # io of no measured call: another library, a file, or a call before its library's hook was there.
      def other_io_ns
        [io_ns - lines.sum { |line| line.window.sums.values_at(:io_ns, :native_ns).sum }, 0].max
      end
    end

    # The calls of one name to one system. elapsed = remote + stalled + gc + ruby, exactly.
    #
    # - `name`: of the requests or jobs; `system`: "sql", "redis", "memcached", "http", "cache", "connect" or
    #   "others"
    # - `target`: the database, server or host; nil without one
    CallLine = Data.define(:name, :system, :target, :window) do
      def self.of(series, window)
        system, target = series.queue.to_s.split(" ", 2)
        new(name: series.name, system: system || "others", target:, window:)
      end

      def count = window.count

      # As Ruby sees it, and as other tools report it.
      # @return [Histogram] ns
      def elapsed = window.histograms[:wall]

      # While the thread neither had nor wanted the GVL.
      # @return [Histogram] ns
      def remote = window.histograms[:idle]

      # ns that the thread waited for the GVL, most often with the answer there
      def stalled_ns = window.stalled_ns

      # ns of garbage collection on the thread
      def gc_ns = window.sums[:gc_ns]

      # ns in the library, which builds the call and reads the answer; and in native code that keeps the GVL
      def ruby_ns = window.histograms[:running].sum - gc_ns

      # Share of the GVL in what is not remote.
      def stalled_share
        rest = elapsed.sum - remote.sum
        rest.positive? ? stalled_ns.fdiv(rest) : 0.0
      end

      # Whether the elapsed time makes the other system look slow although threads wait for the GVL.
      def misleading?
        return false if count < CallLine::FEWEST || stalled_share < CallLine::SHARE
        seen, answered = [elapsed, remote].map { |histogram| histogram.quantile(0.95) }
        seen > CallLine::TIMES * answered && seen - answered > CallLine::LEAST_NS
      end
    end

    # Below, a p95 says nothing.
    CallLine::FEWEST = 40
    # Of the time that is not remote.
    CallLine::SHARE = 0.5
    # p95 of elapsed against p95 of remote, and by how many ns.
    CallLine::TIMES = 1.5
    CallLine::LEAST_NS = 2_000_000
  end
end
