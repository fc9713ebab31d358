# frozen_string_literal: true

module Holdup
  module Compare
    # Reads the sides of a comparison from a store. It reads windows of the compared settings only, added up
    # over intervals as long as the blocks that the comparison resamples, because a month has a hundred
    # thousand windows.
    class Reader
      HISTOGRAMS = %i[wall queued stalled].freeze

      # All series but the units of the filter.
      OtherSeries = Data.define(:filter) do
        def series?(series)
          !(series.unit? && filter.series?(series))
        end
      end
      private_constant :OtherSeries

      # @param parts [Array<(ComparisonSource, String, Array<Setting>)>] source, label and settings by side
      def self.sides(parts)
        shortest_s = parts.map { |source, _, settings| source.covered_s(settings) }.min
        step_s = BlockBootstrap::TimeBlocks.length_s(shortest_s)
        parts.map { |source, label, settings| source.side(label, settings, step_s:) }
      end

      # Seconds of the windows that are read.
      attr_reader :window_s

      # @param store [Store::Sql] open until all sides are made
      def initialize(store, from_s:, to_s:, filter:)
        @store = store
        @filter = filter
        interval = Queries::RecordedInterval.call(store, from_s:, to_s:, **of_units) ||
          Queries::RecordedInterval::Interval.new(from_s:, to_s:)
        @span = interval.to_h
        @window_s = interval.window_s
        @starts = store.setting_starts(*@span.values, step_s: @window_s, **of_units)
      end

      # @return [Hash{Setting => Integer}] units of the filter by setting, in order of first use
      def settings
        @settings ||= begin
          began = @starts.group_by(&:last).transform_values { |same| same.map(&:first).min }
          windows = @store.sums(*@span.values, histograms: [], **of_units).map(&:window)
          units = windows.group_by(&:setting).transform_values { |same| same.sum(&:count) }
          units = units.select { |_, count| count.positive? }
          units.sort_by { |setting, _| began.fetch(setting, @span[:to_s]) }.to_h
        end
      end

      # @return [Integer] seconds that have units of these settings (nil: all)
      def covered_s(settings = nil)
        recorded(settings).sum { |start_s, end_s| end_s - start_s }
      end

      # @return [Float, nil] units of a setting per second, while its processes were measured
      def rate(setting)
        kinds = @filter.kind ? [@filter.kind] : Series::UNITS
        time = Queries::MeasuredTimeQuery.call(@store, **@span, kinds:, settings: [setting])
        time.within(lived(setting)).rate(settings.fetch(setting))
      end

      # Halves of the processes of these settings, for an A/A check. Windows of a process count all its units
      # together, whatever their kind and name.
      # @return [Array<Side>, nil] nil with fewer than two processes
      def process_halves(label, settings, step_s: @window_s)
        windows = @store.sums(*@span.values, kinds: [:process], settings:, step_s:, by_host: true,
          histograms: HISTOGRAMS).map(&:window)
        by_process = windows.select { |window| window.count.positive? }
          .group_by { |window| [window.host.to_s, window.series.name] }
        return if by_process.size < 2
        halves = by_process.sort.map(&:last).each_with_index.partition { |_, index| index.even? }
        halves.map { |half| process_side(label, half.flat_map(&:first)) }
      end

      # @param step_s [Integer] longest interval over which windows are added up; by default minutes stay
      #   separate
      def side(label, settings = nil, step_s: ComparisonIntervals::SEPARATE_S)
        chosen = windows(settings, step_s, **of_units, histograms: HISTOGRAMS)
        # Other series used CPU too.
        others = windows(settings, step_s, kinds: Series::KINDS - Series::VIEWS,
          only: OtherSeries.new(@filter), histograms: [])
        methods = windows(settings, step_s, kinds: [:method], only: @filter.with(kind: nil, queue: nil),
          histograms: [])
        pairs = windows(settings, step_s, kinds: [:pair], only: @filter.with(kind: nil, queue: nil),
          histograms: %i[stalled])
        unit_samples = self.unit_samples.select { |unit| settings.nil? || settings.include?(unit.setting) }
        Side.new(label:, windows: chosen + others + methods + pairs, unit_samples:, samples:,
          filter: @filter, coverage: coverage(settings), **@span)
      end

      private

      def of_units
        {kinds: Series::UNITS, only: @filter}
      end

      def process_side(label, windows)
        kind = @filter.kind || :request
        series = Series.new(kind:, name: "(processes)")
        windows = windows.map { |window| window.with(series:) }
        Side.new(label:, windows:, samples:, filter: Analysis::UnitFilter.new(kind:),
          **@span)
      end

      # A setting that alternated with another was measured only in the windows that it is in.
      def coverage(settings)
        kinds = @filter.kind ? [@filter.kind] : Series::UNITS
        Queries::MeasuredTimeQuery.call(@store, **@span, kinds:, settings:).within(recorded(settings))
      end

      # @return [Array<(Integer, Integer)>] from and to of the windows that have units, each once; longer ones
      #   where the short ones were pruned
      def recorded(settings)
        chosen = @starts.select { |_, setting| settings.nil? || settings.include?(setting) }
        starts = chosen.map { |at_s, _| at_s / @window_s * @window_s }.uniq.sort
        starts.map { |at_s| [at_s, at_s + [@window_s, kept_s(at_s)].max] }
      end

      # A process also counts its threads outside of units: it has windows while it is idle.
      # @return [Array<(Integer, Integer)>] from and to of the windows in which processes of a setting lived
      def lived(setting)
        starts = @store.setting_starts(*@span.values, step_s: @window_s,
          kinds: [*Series::UNITS, :process, :account])
        own = starts.filter_map { |at_s, one| at_s / @window_s * @window_s if one == setting }.uniq.sort
        own.map { |at_s| [at_s, at_s + [@window_s, kept_s(at_s)].max] }
      end

      # Length of the shortest windows kept at that time: longer for older data.
      def kept_s(at_s)
        @kept_s ||= {}
        @kept_s.fetch(at_s) { @kept_s[at_s] = @store.finest_s(at_s) }
      end

      def windows(settings, step_s, **which)
        recorded = recorded(settings)
        intervals.of(step_s, recorded).flat_map do |interval|
          seconds = interval.merged? ? @window_s : ComparisonIntervals::SEPARATE_S
          sums = @store.sums(interval.from_s, interval.to_s, step_s: interval.step_s, seconds:, settings:,
            **which)
          windows = sums.map(&:window)
          interval.merged? ? interval.whole_steps(windows, recorded) : windows
        end
      end

      def intervals
        @intervals ||= ComparisonIntervals.new(**@span, window_s: @window_s, began_s:,
          kept_s: method(:kept_s))
      end

      # When processes began, as far as samples or single units show.
      def began_s
        sampled = samples.filter_map { |sample| sample[:since_s] }
        sampled + unit_samples.map { |unit_sample| unit_sample.process.since_ns / NS }
      end

      def samples
        @samples ||= begin
          every_s = Analysis::ProcessReport.every_s(*@span.values)
          @store.processes(*@span.values, **{every_s:}.compact)
        end
      end

      def unit_samples
        @unit_samples ||= begin
          hosts = [samples.map { |sample| sample[:host] }.uniq.size, 1].max
          unit_samples = Queries::RecordedInterval::UnitSampleQuery.call(@store, *@span.values, hosts:)
          unit_samples.select { |unit_sample| @filter.series?(unit_sample.series) }
        end
      end

      # Intervals of a span over which windows are added up. Windows in which a process began or had just
      # begun stay separate, because each may be left out.
      class ComparisonIntervals
        # Length of separate windows; only hosts, which are compared together, are added up.
        SEPARATE_S = 60
        YOUNG_S = WARM_UP_S

        # `step_s`: seconds over which windows are added up
        WindowInterval = Data.define(:from_s, :to_s, :step_s) do
          def merged? = step_s > SEPARATE_S

          # @return [WindowInterval, nil] the part inside these seconds
          def within(begin_s, end_s)
            part = with(from_s: [from_s, begin_s].max, to_s: [to_s, end_s].min)
            part if part.from_s < part.to_s
          end

          # A window of any series stands for its whole step, or for itself where only longer ones are kept.
          # @param recorded [Array<(Integer, Integer)>] from and to of the windows that were added up
          def whole_steps(windows, recorded)
            windows.group_by { |window| window.start_s / step_s }.flat_map do |number, same|
              start_s = [number * step_s, from_s].max
              longest_s = [(number + 1) * step_s, *same.map(&:end_s)].max
              seconds = overlap_s(recorded, start_s, [longest_s, to_s].min)
              same.map { |window| window.with(start_s:, seconds:) }
            end
          end

          private

          def overlap_s(recorded, start_s, end_s)
            recorded.sum do |begin_s, until_s|
              [[until_s, end_s].min - [begin_s, start_s].max, 0].max
            end
          end
        end

        # @param began_s [Array<Integer>] when processes began
        # @param kept_s [#call] second => length of the shortest windows kept there, in seconds
        def initialize(from_s:, to_s:, window_s:, began_s:, kept_s: ->(_) { SEPARATE_S })
          @from_s = from_s
          @to_s = to_s
          @window_s = window_s
          @began_s = began_s
          @kept_s = kept_s
        end

        # @param step_s [Integer] seconds over which windows are added up, unless shorter than a window
        # @param recorded [Array<(Integer, Integer)>] from and to of the windows that have units, ascending
        def of(step_s, recorded)
          return [] if recorded.empty?
          return separate(recorded) if step_s < @window_s || step_s <= SEPARATE_S
          first_s = recorded.first.first / step_s * step_s
          end_s = (recorded.last.last - 1) / step_s * step_s + step_s
          cut(step_s).filter_map { |interval| interval.within(first_s, end_s) }
        end

        private

        def separate(recorded)
          joined(recorded).filter_map do |from_s, to_s|
            WindowInterval.new(from_s:, to_s:, step_s: SEPARATE_S).within(@from_s, @to_s)
          end
        end

        # The whole span; separate spans are cut out of the merged ones.
        def cut(step_s)
          merged_from_s = @from_s
          intervals = joined(young_spans.sort).flat_map do |from_s, to_s|
            merged = WindowInterval.new(from_s: merged_from_s, to_s: from_s, step_s:)
            merged_from_s = to_s
            [merged, WindowInterval.new(from_s:, to_s:, step_s: SEPARATE_S)]
          end
          [*intervals, WindowInterval.new(from_s: merged_from_s, to_s: @to_s, step_s:)]
        end

        def joined(spans)
          spans.each_with_object([]) do |(begin_s, end_s), all|
            if all.empty? || begin_s > all.last.last
              all << [begin_s, end_s]
            else
              all.last[1] = [all.last.last, end_s].max
            end
          end
        end

        # The first minutes of processes as whole windows, so that no window is read twice in part.
        def young_spans
          spans = @began_s.uniq.map do |at_s|
            length_s = @kept_s.call(at_s)
            [at_s / length_s * length_s, (at_s + YOUNG_S).ceildiv(length_s) * length_s]
          end
          inside = spans.select { |begin_s, end_s| begin_s < @to_s && end_s > @from_s }
          inside.map { |begin_s, end_s| [[begin_s, @from_s].max, [end_s, @to_s].min] }
        end
      end
    end
  end
end
