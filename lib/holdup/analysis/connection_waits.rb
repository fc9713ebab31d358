# frozen_string_literal: true

module Holdup
  module Analysis
    # Waits for a database connection, and who kept the connections meanwhile. A unit that keeps one for long
    # is to the pool what a long hold is to the GVL.
    class ConnectionWaits
      # Waits need action from this share of the elapsed time on.
      NOTABLE = 0.1
      SIZE = "db_pool"
      OTHERS = "db_pool."
      # The gauge of threads that run no unit.
      OUTSIDE = :connections_kept_ns
      COVERED = 0.5
      # What a process says of the pools in which its threads have waited.
      WAITED_DATABASE = :"waited.database"
      WAITED_POOLS = :"waited.pools"
      # Less of all elapsed time is a remark about a name that hardly runs.
      WEIGHTY = 0.01

      # The units of one name, and how long they waited for connections.
      WaitingName = Data.define(:name, :wait_ns, :wall_ns) do
        # @return [Float] 0.0..1.0
        def share = wall_ns.zero? ? 0.0 : wait_ns.fdiv(wall_ns)
      end

      # One pool in the processes that have it. `busy`: mean in use (as sampled);
      # `backlog`: mean of waiting threads, from the waits themselves where a process has one pool, else as
      # sampled; `most_backlog`: as sampled. Both nil where threads waited in some pool and no sample met one
      # that did. `max`: each size, ascending: settings may differ.
      PoolUsage = Data.define(:name, :max, :busy, :backlog, :most_backlog)

      # Users of the pools. `all_rows`: Array of SeriesRow, one per series, also left out ones; `settings`: of
      # the chosen units; `members`: Array of MeasuredProcess; `samples`: of the processes, from `from_s` to
      # `to_s`
      PoolSharers = Data.define(:all_rows, :settings, :members, :samples, :from_s, :to_s)

      # @param summary [Summary] of the units that the report is about
      def initialize(summary)
        @summary = summary
        @total = summary.total
      end

      def any? = @total.sum(:pool_wait_ns).positive?

      def notable?
        any? && wait_share(@total) >= NOTABLE
      end

      def wait_share(row = @total)
        row.wall_ns.zero? ? 0.0 : row.sum(:pool_wait_ns).fdiv(row.wall_ns)
      end

      # @return [WaitingName, nil] of the chosen units, the name that waited longest; nil where it waited for
      #   less than a tenth of its time, or where its time is next to nothing
      def waiter
        @waiter ||= [longest_waiter]
        @waiter.first
      end

      # What the waits were for, as far as processes say it: recordings from before are of databases.
      # @return [Symbol, String] `:database`; the class of the connections ("RedisClient") where threads have
      #   waited in pools of one such class only; else `:any`
      def awaited
        return :database unless @summary.read?(:samples)
        others = sharers.samples.filter_map { |sample| sample[WAITED_POOLS] }.flat_map(&:split).uniq
        none_known = sharers.samples.none? { |sample| sample.key?(WAITED_POOLS) }
        return :database if none_known
        database = sharers.samples.any? { |sample| sample.key?(WAITED_DATABASE) }
        (others.one? && !database) ? others.first : :any
      end

      # @return [StallPairs::StallPair, nil] of the waiter and whom it waited for most; nil while that is not
      #   known
      def main_pair
        return unless waiter && @summary.read?(:connection_pairs)
        main = @summary.connection_pairs.find { |pair| pair.victim.name == waiter.name }
        main if main&.named?
      end

      def held_share(row)
        share_of_held(row.sum(:pool_held_ns))
      end

      # Time for which threads that ran no unit kept connections, as far as it was sampled.
      def outside_ns
        @outside_ns ||= outside_growth.sum(&:grown_ns)
      end

      # Whether samples cover enough of the processes' time to say who kept the most.
      def outside_known?
        growth = outside_growth
        growth.any? && growth.sum(&:covered_s) >= COVERED * growth.sum(&:alive_s)
      end

      # Connections that such threads of a process kept, on average; 0.0 while unknown.
      def outside_mean
        outside_known? ? outside_ns.fdiv(outside_growth.sum(&:covered_s) * NS) : 0.0
      end

      def outside_share = share_of_held(outside_ns)

      # The row whose units kept connections for longest; nil while unknown.
      def holder
        row = sharers.all_rows.max_by { |each| each.sum(:pool_held_ns) }
        row unless row.nil? || row.sum(:pool_held_ns).zero?
      end

      # Whether threads outside of units kept them for longer than the holder.
      def outside?
        outside_ns > (holder ? holder.sum(:pool_held_ns) : 0)
      end

      # Connections that a process may have: "5", "5/10" if settings differ, "5 (animals: 2)" with two pools.
      def size
        pooled = sharers.settings.select { |setting| setting[SIZE] }.map(&:attributes)
        return if pooled.empty?
        others = pooled.flat_map(&:keys).uniq.select { |key| key.start_with?(OTHERS) }
        texts = others.map { |key| "#{key.delete_prefix(OTHERS)}: #{sizes(pooled, key)}" }
        texts.empty? ? sizes(pooled, SIZE) : "#{sizes(pooled, SIZE)} (#{texts.join(", ")})"
      end

      # @return [String, nil] nil with several pools: which of them was waited for is not known
      def only_size = several_sizes? ? nil : size

      def pools
        pools = sharers.members.flat_map { |member| connection_pools(member) }.group_by(&:name)
        pools = pools.map { |name, same| merge(name, same) }
        pools = pools.map { |pool| pool.with(backlog: nil, most_backlog: nil) } if unmet?(pools)
        (pools.size == 1 && waiting) ? [pools.first.with(backlog: waiting)] : pools
      end

      private

      def several_sizes?
        sharers.settings.any? { |setting| setting.attributes.any? { |key, _| key.start_with?(OTHERS) } }
      end

      def longest_waiter
        names = @total.entries.group_by { |entry| entry.series.name }.map do |name, same|
          windows = same.map(&:window)
          wall_ns = windows.sum { |window| window.histograms[:wall].sum }
          WaitingName.new(name:, wait_ns: windows.sum(&:pool_wait_ns), wall_ns:)
        end
        found = names.max_by(&:wait_ns)
        found if found && found.share >= NOTABLE && found.wait_ns >= WEIGHTY * @total.wall_ns
      end

      # Mostly no unit waits, and they are not needed.
      def sharers = @sharers ||= @summary.pool_sharers

      # Growth of the gauge OUTSIDE of one process, and in how much of its time.
      KeptTimeGrowth = Data.define(:grown_ns, :covered_s, :alive_s)
      private_constant :KeptTimeGrowth

      def outside_growth
        @outside_growth ||= begin
          samples = sharers.samples.select { |sample| sample.key?(OUTSIDE) }
          by_process = ProcessReport::SampleTrail.by_process(samples)
          by_process.values.map { |same| growth(same.sort_by { |sample| sample[:at_s] }) }
        end
      end

      # A process that was born in the span began at zero.
      def growth(samples)
        born_s = samples.first[:since_s]
        samples = [{:at_s => born_s, OUTSIDE => 0}, *samples] if born_s && born_s >= sharers.from_s
        first_s = samples.first[:at_s]
        last_s = samples.last[:at_s]
        end_s = samples.last[:ended] ? last_s : sharers.to_s
        grown_ns = ProcessReport::SampleTrail.new(samples).grown(OUTSIDE).to_i
        KeptTimeGrowth.new(grown_ns:, covered_s: last_s - first_s, alive_s: end_s - first_s)
      end

      def connection_pools(member)
        member.pools.select { |pool| pool.name.start_with?(ProcessReport::CONNECTIONS) }
      end

      # Whether samples say that no thread waited, and threads did.
      def unmet?(pools)
        pools.none? { |pool| pool.backlog.to_f.positive? || pool.most_backlog.to_i.positive? } &&
          sharers.all_rows.any? { |row| row.sum(:pool_wait_ns).positive? }
      end

      # Mean of waiting threads in a process: each second of waiting is a thread that waits for a second.
      def waiting
        seconds = sharers.members.select { |member| connection_pools(member).any? }.sum(&:seconds)
        sharers.all_rows.sum { |row| row.sum(:pool_wait_ns) }.fdiv(seconds * NS) if seconds.positive?
      end

      def held_ns
        @held_ns ||= sharers.all_rows.sum { |row| row.sum(:pool_held_ns) } + outside_ns
      end

      def share_of_held(part)
        held_ns.zero? ? 0.0 : part.fdiv(held_ns)
      end

      # Sizes in all settings: "4/6".
      def sizes(pooled, key)
        pooled.filter_map { |attributes| attributes[key] }.uniq.sort.join("/")
      end

      def merge(name, pools)
        PoolUsage.new(name: name.delete_prefix(ProcessReport::CONNECTIONS),
          max: pools.filter_map(&:max).uniq.sort, busy: mean(pools, :busy), backlog: mean(pools, :backlog),
          most_backlog: pools.filter_map(&:most_backlog).max)
      end

      def mean(pools, key)
        known = pools.filter_map(&key)
        known.sum.fdiv(known.size) if known.any?
      end
    end
  end
end
