# frozen_string_literal: true

module Holdup
  module Queries
    # Reads a span of the store step by step, for charts.
    #
    #   filter = Analysis::UnitFilter.new(name: "OrdersController#index")
    #   TimeSeriesQuery.call(store, from_s:, to_s:, filter:).to_h
    class TimeSeriesQuery
      POINTS = 300
      # Of a day: one a minute.
      DAY_POINTS = DAY_S / MINUTE_S + 1
      STEPS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].freeze
      ALL = Series.new(kind: :request, name: "(all)")
      # Reading histograms takes most of the time of a long span.
      OF_UNITS = %i[wall queued stalled].freeze
      # Adding up other numbers, which no chart shows, takes a quarter of the time of a day.
      NUMBERS = UnitNumbers::STATES.values & Window::SUMS

      # Steps begin at round times, so the first may begin before the span. The current minute is left out,
      # because half a minute always looks like a drop.
      # @param histograms [Array<Symbol>] of units, from Window::HISTOGRAMS; those of OF_UNITS that are left
      #   out have means, but no quantiles
      # @param methods [Boolean] whether methods that make others wait are read too
      # @param points [Integer] steps at most
      # @return [Analysis::TimeSeries]
      def self.call(store, from_s:, to_s:, filter: Analysis::UnitFilter.new, histograms: OF_UNITS,
        methods: false, points: (to_s - from_s > DAY_S) ? POINTS : DAY_POINTS)
        new(store, from_s:, to_s:, filter:, histograms:, methods:, points:).call
      end

      # @param finest_s [Integer] length of the shortest windows kept
      def self.step_s(from_s, to_s, finest_s = MINUTE_S, points: POINTS)
        needed_s = [(to_s - from_s).fdiv(points - 1).ceil, finest_s].max
        STEPS_S.find { |step_s| step_s >= needed_s } || needed_s.ceildiv(STEPS_S.last) * STEPS_S.last
      end

      def initialize(store, from_s:, to_s:, filter:, histograms:, methods:, points:)
        @store = store
        @methods = methods
        @of_units = histograms
        @filter = filter
        @step_s = self.class.step_s(from_s, to_s, store.finest_s(from_s), points:)
        @from_s = from_s / @step_s * @step_s
        @to_s = to_s / MINUTE_S * MINUTE_S
        @sums = {}
      end

      def call
        gvl = GvlUtilization.new(method(:sums), at_s).call
        Analysis::TimeSeries.new(at_s:, step_s: @step_s, to_s: @to_s, windows: chosen, gvl:, measured:,
          coverage:, caused: @methods ? caused : {})
      end

      private

      # @return [Hash{String => Hash{Integer => Integer}}] ns by method and start of the step
      def caused
        sums = @store.sums(@from_s, @to_s, step_s: @step_s, kinds: [:method], histograms: [],
          only: @filter.with(kind: nil, queue: nil))
        windows = sums.map(&:window).select { |window| @filter.setting?(window.setting) }
        windows.group_by { |window| Analysis::MethodLine.place(window).label }.transform_values do |same|
          steps = same.group_by { |window| window.start_s / @step_s * @step_s }
          steps.transform_values { |step| step.sum(&:caused_ns) }
        end
      end

      def coverage
        kinds = @filter.kind ? [@filter.kind] : Series::UNITS
        MeasuredTimeQuery.call(@store, from_s: @from_s, to_s: @to_s, kinds:)
      end

      def at_s
        (@from_s...@to_s).step(@step_s).to_a
      end

      # Processes count all units, accounts the other threads.
      def measured
        [sums([:process]), sums([:account]), chosen].flat_map(&:keys).to_set
      end

      # @return [Hash{Integer => Window}] by start of the step
      def chosen
        @chosen ||= if @filter.narrow?
          merged(sums(Series::UNITS, only: @filter))
        else
          processes_complete? ? merged(sums([:process])) : without_nested
        end
      end

      # Processes count all units too, in far fewer windows, if they were recorded all the time.
      def processes_complete?
        return false if sums([:process]).empty?
        starts = @store.setting_starts(@from_s, @to_s, step_s: @step_s, kinds: Series::UNITS)
        units = starts.select { |_, setting| @filter.setting?(setting) }
        units.to_set { |at_s, setting| [at_s / @step_s * @step_s, setting] } == setting_steps([:process])
      end

      # @return [Set<(Integer, Setting)>] start of the step
      def setting_steps(kinds)
        steps = sums(kinds).flat_map { |at_s, sums| sums.map { |sum| [at_s, sum.window.setting] } }
        steps.to_set
      end

      def without_nested
        nested = merged(sums([:nested]))
        merged(sums(Series::UNITS)).to_h do |at_s, window|
          rest = Analysis::WindowTable::WindowSum.subtract(window, nested[at_s]) if nested[at_s]
          [at_s, rest || window]
        end
      end

      def merged(steps)
        steps.transform_values { |sums| Window.sum(sums.map(&:window)) }
      end

      # @return [Hash{Integer => Array<Store::SpanSum>}] by start of the step, one for each setting
      def sums(kinds, **only)
        @sums[[kinds, only]] ||= begin
          sums = @store.sums(@from_s, @to_s, step_s: @step_s, together: ALL, kinds:,
            **histograms(kinds), **only)
          wanted = sums.select { |sum| @filter.setting?(sum.window.setting) }
          wanted.group_by { |sum| sum.window.start_s / @step_s * @step_s }
        end
      end

      # @return [Hash] options of sums
      def histograms(kinds)
        return {histograms: [], heads: [:running], numbers: []} if kinds == [:account]
        return {histograms: [], numbers: NUMBERS} if kinds == [:process] && @filter.narrow?
        {histograms: @of_units, heads: OF_UNITS - @of_units, numbers: NUMBERS}
      end

      # Share of time for which the GVLs of each server's processes were held, by step, by units and other
      # threads. A process counts for the whole of each window that it is in: with windows of hours, the share
      # is too low around restarts, never too high.
      class GvlUtilization
        # @param sums [#call] kinds => {start of the step => Array of Store::SpanSum}
        # @param at_s [Array<Integer>] starts of the steps
        def initialize(sums, at_s)
          @sums = sums
          @at_s = at_s
        end

        # @return [Hash{String => Array<Float, nil>}] by group, one for each step
        def call
          covered_s = covered_s()
          held_ns = held_ns()
          groups = covered_s.values.flat_map(&:keys).uniq.sort
          groups.to_h do |group|
            [group, @at_s.map { |at_s| share(held_ns.dig(at_s, group), covered_s.dig(at_s, group)) }]
          end
        end

        private

        def share(held_ns, covered_s)
          covered_s && held_ns.to_i.fdiv(covered_s * NS)
        end

        def covered_s
          by_group([:process], &:covered_s)
        end

        # Processes count all units, nested ones once; two sums give the held time without histograms.
        def held_ns
          units = by_group([:process]) { |sum| sum.window.held_ns(:process) }
          threads = by_group([:account]) { |sum| sum.window.held_ns(:account) }
          units.merge(threads) do |_, of_units, of_threads|
            of_units.merge(of_threads) { |_, one, other| one + other }
          end
        end

        # @return [Hash{Integer => Hash{String => Integer}}] by start of the step and group
        def by_group(kinds)
          @sums.call(kinds).transform_values do |sums|
            groups = sums.group_by { |sum| RecentFigures.group(sum.window.setting) }
            groups.transform_values { |same| same.sum { |sum| yield sum } }
          end
        end
      end
    end
  end
end
