# frozen_string_literal: true

module Holdup
  class Collector
    # What of each round goes into the store's ring of the last hour. A round after a failure, and the first
    # one of a leader, has none: it is unknown since when it counts.
    class RecentRounds
      NS_A_MS = 1_000_000
      # Units of a longer round are no figure of ten seconds.
      LONGEST_S = 60
      # Series that are remembered for the choice of the strongest, and what an hour leaves of a weight.
      REMEMBERED = 10 * RecentFigures::SERIES_APART
      FADING = 1 - 1.0 / RecentFigures::SLOTS

      def initialize(host:)
        @host = host
        forget
      end

      def forget
        @last_ns = nil
        @latest = nil
        @weights ||= Hash.new(0.0)
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
          held: held(windows, snapshots, length_ms))
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

      # Chosen by the elapsed time of about an hour, so that a series seldom comes and goes.
      # @return [Array(Array<Series>, Array<(Series, Window)>)]
      def apart(units)
        @weights.transform_values! { |weight| weight * FADING }
        units.each { |series, window| @weights[series] += window.histograms.fetch(:wall).sum }
        if @weights.size > REMEMBERED
          kept = @weights.max_by(REMEMBERED, &:last).to_h
          @weights.replace(kept)
        end
        strongest = @weights.max_by(RecentFigures::SERIES_APART, &:last).map(&:first)
        [strongest, units.except(*strongest).to_a]
      end

      # A process counts for all of the round, also when none of its units ended.
      def held(windows, snapshots, length_ms)
        groups = snapshots.group_by { |snapshot| RecentFigures.group(snapshot.setting) }
        covered = groups.transform_values do |same|
          RecentFigures::HeldTime.new(held_ns: 0, covered_ns: same.size * length_ms * NS_A_MS)
        end
        windows.each_with_object(covered) do |window, all|
          held_ns = held_ns(window) or next
          group = RecentFigures.group(window.setting)
          all[group] += RecentFigures::HeldTime.new(held_ns:, covered_ns: 0) if all.key?(group)
        end
      end

      def held_ns(window)
        case window.series.kind
        when :process then window.sums.values_at(:cpu_ns, :starved_ns).sum
        when :account then window.histograms.fetch(:running).sum
        end
      end
    end
  end
end
