# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of the last hour in steps of ten seconds, for charts. The store keeps fewer figures of them
    # than of minutes: of times other than the elapsed one only means, and of each host the strongest series.
    class RecentSeriesQuery
      # Shares of the steps, and of the hosts' rounds in them, that must be known: else minutes say more.
      KNOWN = 0.8
      # A recording's first round comes so long after its first minute begins, at most.
      LATE_S = 90

      # `window`: of the chosen units of one host; `length_ms`: what the round covered
      ChosenRound = Data.define(:window, :length_ms) do
        def per_second = length_ms.positive? ? window.count * 1000.0 / length_ms : 0.0
      end
      private_constant :ChosenRound

      # @param since_s [Integer] start of the first minute in which anything was measured
      # @return [Analysis::TimeSeries, nil] nil where minutes have to do
      def self.call(store, from_s:, to_s:, since_s:, filter: Analysis::UnitFilter.new)
        return if filter.threads || to_s - from_s > RecentFigures::KEEP_S
        new(store, from_s:, to_s:, since_s:, filter:).call
      end

      def initialize(store, from_s:, to_s:, since_s:, filter:)
        @store = store
        @from_s = from_s / RecentFigures::STEP_S * RecentFigures::STEP_S
        @to_s = to_s
        @since_s = since_s
        @filter = filter
      end

      def call
        return if figures.empty? || hosts_missing? || steps_missing?
        return if windows.size < KNOWN * steps.size
        step_s = RecentFigures::STEP_S
        Analysis::TimeSeries.new(at_s:, step_s:, to_s: at_s.last + step_s, windows:, gvl:, seconds:,
          measured: windows.keys.to_set)
      end

      private

      def figures = @figures ||= @store.recent_figures(@from_s, @to_s)

      def steps = @steps ||= figures.map(&:start_s).uniq

      # What came after the last round is not known yet.
      def at_s = @at_s ||= (@from_s..steps.last).step(RecentFigures::STEP_S).to_a

      # Those of an earlier version keep no rounds.
      def hosts_missing?
        lately = @store.collector_checkpoints.select { |checkpoint| checkpoint.at_ns / NS >= @from_s }
        (lately.map(&:host) - figures.map(&:host)).any?
      end

      def steps_missing?
        first, last = steps.minmax
        first > [@since_s, @from_s].max + LATE_S ||
          steps.size < KNOWN * ((last - first) / RecentFigures::STEP_S + 1)
      end

      def by_step = @by_step ||= RecentFigures.by_step(figures).slice(*at_s)

      # @return [Hash{Integer => Array<ChosenRound>}] by start of the step, without steps where the chosen
      #   units are not apart from others
      def rounds
        @rounds ||= by_step.transform_values { |same| chosen_rounds(same) }.compact
      end

      def chosen_rounds(figures)
        found = figures.map { |one| [chosen(one), one.length_ms] }
        return if found.any? { |windows, _| windows.nil? }
        found.map do |windows, length_ms|
          ChosenRound.new(window: RecentFigures.sum(windows, RecentFigures::ALL), length_ms:)
        end
      end

      # @return [Hash{Integer => Window}] of all hosts, by start of the step
      def windows
        @windows ||= rounds.transform_values do |same|
          RecentFigures.sum(same.map(&:window), RecentFigures::ALL)
        end
      end

      # A round may come late: its figures are those of the time that it took, not of ten seconds.
      # @return [Hash{Integer => Float}] the time in which the units of `windows` end, by start of the step
      def seconds
        windows.to_h do |start_s, window|
          per_second = rounds.fetch(start_s).sum(&:per_second)
          [start_s, per_second.zero? ? RecentFigures::STEP_S.to_f : window.count / per_second]
        end
      end

      # @return [Array<Window>, nil]
      def chosen(figures)
        return [figures.total] unless @filter.narrow?
        series = figures.series.select { |window| @filter.series?(window.series) }
        others = figures.others.values
        others = others.select { |window| window.series.kind == @filter.kind } if @filter.kind
        nothing = figures.total.with(**Window.empty(series: RecentFigures::ALL).to_h.slice(*NUMBERS))
        return [nothing, *series, *others] if @filter.name.nil? && @filter.queue.nil?
        [nothing, *series] if series.any? || others.none?
      end

      NUMBERS = %i[count errors sums histograms].freeze
      private_constant :NUMBERS

      # @return [Hash{String => Array<Float, nil>}] by server or job runner, one for each step
      def gvl
        times = by_step.transform_values { |same| held(same) }
        groups = times.values.flat_map(&:keys).uniq.sort
        groups.to_h { |group| [group, at_s.map { |start_s| share(times.dig(start_s, group)) }] }
      end

      def held(figures)
        figures.map(&:held).reduce { |one, other| one.merge(other) { |_, time, more| time + more } }
      end

      def share(time)
        time.held_ns.fdiv(time.covered_ns) if time&.covered_ns&.positive?
      end
    end
  end
end
