# frozen_string_literal: true

module Holdup
  class Collector
    # What of each round goes into the store's ring of the last hour. A round after a failure, and the first
    # one of a leader, has none: it is unknown since when it counts.
    class RecentRounds
      NS_A_MS = 1_000_000
      # Units of a longer round are no figure of ten seconds.
      LONGEST_S = 60
      def initialize(host:)
        @host = host
        forget
      end

      def forget
        @last_ns = nil
        @latest = nil
        @series ||= StrongestOfAnHour.new(RecentFigures::SERIES_APART)
        @holders ||= StrongestOfAnHour.new(RecentFigures::HOLDERS_APART)
      end

      # @param windows [Array<Window>] deltas of the round
      # @param snapshots [Array<ProcessSnapshot>] of the processes that it read
      # @return [RecentFigures, nil] nil where it is unknown
      def call(windows, snapshots, now_ns)
        @pending = nil
        from_ns = @last_ns
        @now_ns = now_ns
        return unless from_ns && (now_ns - from_ns).between?(1, LONGEST_S * NS)
        start_s = (from_ns + (now_ns - from_ns) / 2) / NS / RecentFigures::STEP_S * RecentFigures::STEP_S
        figures = figures(windows, snapshots, start_s, (now_ns - from_ns) / NS_A_MS)
        @pending = (@latest&.start_s == start_s) ? @latest.merge(figures) : figures
      end

      # The caller does this after the commit.
      def committed
        @last_ns = @now_ns
        @latest = @pending
      end

      private

      def figures(windows, snapshots, start_s, length_ms)
        seconds = RecentFigures::STEP_S
        empty = Window.empty(series: RecentFigures::ALL, host: @host, start_s:, seconds:)
        units = sums(windows.select { |window| window.series.unit? }, empty)
        apart, others = apart(units)
        total = RecentFigures.sum([empty, *windows.select { |window| window.series.kind == :process }],
          RecentFigures::ALL)
        RecentFigures.new(host: @host, start_s:, length_ms:, total:,
          series: apart.map { |series| units[series] || empty.with(series:) },
          others: others.group_by { |series, _| series.kind }.to_h { |kind, same| [kind, other(kind, same)] },
          held: held(windows, snapshots, length_ms), waited: waited(windows))
      end

      # @return [Hash{Series => Window}]
      def sums(windows, empty)
        windows.group_by(&:series).to_h do |series, same|
          [series, RecentFigures.sum([empty, *same], series)]
        end
      end

      def other(kind, units)
        RecentFigures.sum(units.map(&:last), Series.new(kind:, name: RecentFigures::ALL.name))
      end

      # @return [Array(Array<Series>, Array<(Series, Window)>)]
      def apart(units)
        strongest = @series.call(units.transform_values { |window| window.histograms.fetch(:wall).sum })
        [strongest, units.except(*strongest).to_a]
      end

      # @return [RecentFigures::WaitedTime]
      def waited(windows)
        pairs = windows.select { |window| window.series.kind == :pair }.group_by { |pair| pair.series.queue }
        waits = pairs.transform_values { |same| same.sum(&:stalled_ns) }
        names = @holders.call(waits.except(*Series::NAMELESS.keys))
        all = windows.select { |window| %i[process account].include?(window.series.kind) }
        RecentFigures::WaitedTime.new(ns: all.sum(&:stalled_ns),
          nobody_ns: waits.fetch(Series::NAMELESS.key(:nobody), 0), holders: holders(names, waits, windows))
      end

      # @return [Hash{String => RecentFigures::HolderTime}]
      def holders(names, waits, windows)
        held = windows.select { |window| window.series.unit? || window.series.kind == :account }
          .group_by { |window| window.series.name }
        names.to_h do |name|
          same = held.fetch(name, [])
          groups = same.group_by { |window| RecentFigures.group(window.setting) }
          [name, RecentFigures::HolderTime.new(kind: kind(name, same), waited_ns: waits.fetch(name, 0),
            held: groups.transform_values { |each| each.sum(&:held_ns) })]
        end
      end

      # One that still runs has no window yet.
      def kind(name, windows)
        return windows.first.series.kind if windows.any?
        name.start_with?(Series::THREAD) ? :account : :request
      end

      # A process counts for all of the round, also when none of its units ended.
      def held(windows, snapshots, length_ms)
        groups = snapshots.group_by { |snapshot| RecentFigures.group(snapshot.setting) }
        covered = groups.transform_values do |same|
          threads = same.sum { |snapshot| snapshot.setting&.threads || 0 }
          RecentFigures::HeldTime.new(held_ns: 0, covered_ns: same.size * length_ms * NS_A_MS,
            thread_ns: threads * length_ms * NS_A_MS)
        end
        windows.each_with_object(covered) do |window, all|
          next unless %i[process account].include?(window.series.kind)
          group = RecentFigures.group(window.setting)
          more = RecentFigures::HeldTime.new(held_ns: window.held_ns, covered_ns: 0)
          all[group] += more if all.key?(group)
        end
      end

      # Which names were the strongest in about an hour, so that one seldom comes and goes.
      class StrongestOfAnHour
        # Names that are remembered for each that is chosen, and what an hour leaves of a weight.
        REMEMBERED = 10
        FADING = 1 - 1.0 / RecentFigures::SLOTS

        # @param most [Integer] that are chosen
        def initialize(most)
          @most = most
          @weights = Hash.new(0.0)
        end

        # @param weights [Hash{Object => Numeric}] of this round
        # @return [Array<Object>] the strongest first
        def call(weights)
          @weights.transform_values! { |weight| weight * FADING }
          weights.each { |name, weight| @weights[name] += weight }
          forget if @weights.size > REMEMBERED * @most
          @weights.max_by(@most, &:last).map(&:first)
        end

        private

        def forget
          kept = @weights.max_by(REMEMBERED * @most, &:last).to_h
          @weights.replace(kept)
        end
      end
    end
  end
end
