# frozen_string_literal: true

module Holdup
  module Analysis
    # What the requests or jobs of one name called.
    #
    # - `units`: how many of them ran; `io_ns`: for which they waited for io or computed in native code
    # - `lines`: UnitCalls::CallLine of each kind of call, those that took longest first
    UnitCalls = Data.define(:name, :units, :io_ns, :lines) do
      # @param windows [Enumerable<Holdup::Window>] of kind :call
      # @param units [Enumerable<Holdup::Window>] of the requests and jobs
      # @return [Array<UnitCalls>] those whose calls took longest first
      def self.all(windows, units:)
        by_name = windows.group_by { |window| window.series.name }
        found = units.group_by { |window| window.series.name }.slice(*by_name.keys).map do |name, same|
          io_ns = same.sum { |window| window.sums.values_at(:io_ns, :native_ns).sum }
          count = same.sum(&:count)
          new(name:, units: count, io_ns:, lines: UnitCalls::CallLine.all(by_name.fetch(name), units: count))
        end
        found.sort_by { |calls| [-calls.elapsed_ns, calls.name] }
      end

      def elapsed_ns = lines.sum { |line| line.elapsed.sum }

      # io of no measured call: another library, a file, or a call before its library's hook was there.
      def other_io_ns
        [io_ns - lines.sum { |line| line.window.sums.values_at(:io_ns, :native_ns).sum }, 0].max
      end
    end

    # A query that requests or jobs of one name repeat, at one place in the code: equal but for its values
    # (N+1). Only those in which it came often enough count (`config.repeated_queries`).
    #
    # - `place`: "app/views/carts/_item.html.erb:4 ..."; nil: the table of the process had no room for it
    # - `units`, `wall_ns`: of the requests and jobs of that name, also those that do not repeat it
    # - `window`: count and sums of the queries
    UnitCalls::RepeatedQuery = Data.define(:name, :place, :units, :wall_ns, :window) do
      # @param windows [Enumerable<Holdup::Window>] of kind :repeat
      # @param units [Enumerable<Holdup::Window>] of the requests and jobs
      # @return [Array<RepeatedQuery>] those that took longest first
      def self.all(windows, units:)
        units = units.group_by { |window| window.series.name }
        known = windows.select { |window| units.key?(window.series.name) }
        found = known.group_by(&:series).map do |series, same|
          ran = units.fetch(series.name)
          new(name: series.name, place: series.queue, units: ran.sum(&:count),
            wall_ns: ran.sum { |window| window.histograms[:wall].sum }, window: Window.sum(same))
        end
        found.sort_by { |query| [-query.elapsed_ns, query.name, query.place.to_s] }
      end

      # Queries of a request or job, on average over all of that name.
      def each = window.count.fdiv(units)

      def elapsed_ns = window.histograms[:wall].sum

      def remote_ns = window.histograms[:idle].sum

      def stalled_ns = window.stalled_ns

      def gc_ns = window.sums[:gc_ns]

      # Time in Active Record and the database's library.
      def ruby_ns = window.histograms[:running].sum - gc_ns

      # Share of the elapsed time of all those requests or jobs, 0..1.
      def share = [elapsed_ns.fdiv([wall_ns, 1].max), 1.0].min
    end

    # The calls of one name to one system. elapsed = remote + stalled + gc + ruby, exactly.
    #
    # - `name`: of the requests or jobs; `units`: how many of them ran
    # - `system`: "sql", "redis", "memcached", "http", "cache", "connect", "push", "search",
    #   "subprocess" or "others"
    # - `target`: the database, server, host, job runner or program; nil without one
    UnitCalls::CallLine = Data.define(:name, :units, :system, :target, :window) do
      # @param windows [Enumerable<Holdup::Window>] of kind :call, of one name
      # @return [Array<UnitCalls::CallLine>] those that took longest first
      def self.all(windows, units:)
        lines = windows.group_by(&:series).map do |series, same|
          system, target = series.queue.to_s.split(" ", 2)
          new(name: series.name, units:, system: system || "others", target:, window: Window.sum(same))
        end
        lines.sort_by { |line| [-line.elapsed.sum, line.system, line.target.to_s] }
      end

      def count = window.count

      # Calls of a request or job, on average over all of that name.
      def each = count.fdiv(units)

      # Time as Ruby sees it, and as other tools report it.
      # @return [Histogram] ns
      def elapsed = window.histograms[:wall]

      # Time while the thread neither had nor wanted the GVL.
      # @return [Histogram] ns
      def remote = window.histograms[:idle]

      # ns that the thread waited for the GVL, most often with the answer there
      def stalled_ns = window.stalled_ns

      # ns of garbage collection on the thread
      def gc_ns = window.sums[:gc_ns]

      # ns in the library, which builds the call and reads the answer; and in native code that keeps the GVL
      def ruby_ns = window.histograms[:running].sum - gc_ns

      # Whether what is called works inside this process (SQLite, a cache in memory): then nothing waits for
      # an answer, and its work is in ruby_ns.
      def inside? = remote.sum <= UnitCalls::CallLine::INSIDE * elapsed.sum

      # Share of the GVL in what is not remote.
      def stalled_share
        rest = elapsed.sum - remote.sum
        rest.positive? ? stalled_ns.fdiv(rest) : 0.0
      end

      # The elapsed time makes the other system look slow here, although threads wait for the GVL. Few calls
      # of a request that makes many stall, so no p95 shows it, but their sum does.
      # @return [Misleading, nil]
      def misleading
        return if count < UnitCalls::CallLine::FEWEST || stalled_share < UnitCalls::CallLine::SHARE
        [p95, (sum if each > 1)].compact.find(&:far_off?)
      end

      def misleading? = !misleading.nil?

      private

      def p95
        elapsed_ns, remote_ns = [elapsed, remote].map { |histogram| histogram.quantile(0.95) }
        UnitCalls::CallLine::Misleading.new(of: :p95, elapsed_ns:, remote_ns:)
      end

      def sum
        elapsed_ns, remote_ns = [elapsed, remote].map { |histogram| histogram.sum.fdiv(units) }
        UnitCalls::CallLine::Misleading.new(of: :sum, elapsed_ns:, remote_ns:)
      end
    end

    # Share of the elapsed time: SQLite waits for its file now and then.
    UnitCalls::CallLine::INSIDE = 0.02
    # A p95 of fewer calls says nothing.
    UnitCalls::CallLine::FEWEST = 40
    # Share of the time that is not remote.
    UnitCalls::CallLine::SHARE = 0.5

    # How slow calls look and how slow the other system was, in ns.
    #
    # - `of`: `:p95` of one call, or `:sum`, of all calls of a request or job, on average
    UnitCalls::CallLine::Misleading = Data.define(:of, :elapsed_ns, :remote_ns) do
      # The difference is so large that somebody would look for the reason in the other system.
      def far_off?
        elapsed_ns > UnitCalls::CallLine::Misleading::TIMES * remote_ns &&
          elapsed_ns - remote_ns > UnitCalls::CallLine::Misleading::LEAST_NS
      end
    end

    UnitCalls::CallLine::Misleading::TIMES = 1.5
    UnitCalls::CallLine::Misleading::LEAST_NS = 2_000_000
  end
end
