# frozen_string_literal: true

module Holdup
  module Queries
    # What a store has of a span, as sides of a comparison. Windows are read of the settings that are
    # compared, in stretches as long as the comparison draws anew: those of a month are a hundred thousand,
    # and a comparison puts them together again.
    class ComparisonSource
      HISTOGRAMS = %i[wall queued stalled].freeze
      NS = 1_000_000_000

      # What a filter leaves out.
      ComparedSide = Data.define(:filter) do
        def series?(series)
          !(series.unit? && filter.series?(series))
        end
      end
      private_constant :ComparedSide

      # @param parts [Array<(ComparisonSource, String, Array<Setting>)>] what is compared: out of which
      #   recording, what it is called, see side
      # @return [Array<Analysis::Comparison::Side>]
      def self.sides(parts)
        step_s = Analysis::Comparison::BlockBootstrap::TimeBlocks.length_s(parts.map { |recorded, _, settings| recorded.covered_s(settings) }.min)
        parts.map { |recorded, label, settings| recorded.side(label, settings, step_s:) }
      end

      # @param store [Store::Sql] open until all sides are made
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param filter [Analysis::UnitFilter]
      def initialize(store, from_s:, to_s:, filter:)
        @store = store
        @filter = filter
        extent = RecordedInterval.call(store, from_s:, to_s:,
**of_units) || RecordedInterval::Interval.new(from_s:, to_s:)
        @span = extent.to_h
        @window_s = extent.window_s
        @seen = store.setting_starts(*@span.values, step_s: @window_s, **of_units)
      end

      # @return [Hash{Setting => Integer}] units of the filter, in the order in which they came
      def settings
        @settings ||= begin
          began = @seen.group_by(&:last).transform_values { |same| same.map(&:first).min }
          units = @store.sums(*@span.values, histograms: [],
**of_units).map(&:window).group_by(&:setting).transform_values { |same|
  same.sum(&:count)
}
          units.select { |_, count| count.positive? }.sort_by { |setting, _|
            began.fetch(setting,
              @span[:to_s])
          }.to_h
        end
      end

      # @param settings [Array<Setting>, nil] nil for all
      # @return [Integer] seconds in which there were units
      def covered_s(settings = nil)
        seen(settings).sum { |start_s, end_s| end_s - start_s }
      end

      # @param label [String]
      # @param settings [Array<Setting>, nil] nil for all
      # @param step_s [Integer] how much is put together at most
      # @return [Analysis::Comparison::Side]
      def side(label, settings = nil, step_s: @window_s)
        chosen = windows(settings, step_s, **of_units, histograms: HISTOGRAMS)
        beside = windows(settings, step_s, kinds: Series::KINDS - Series::VIEWS,
          only: ComparedSide.new(@filter), histograms: [])
        profiles = self.profiles.select { |profile| settings.nil? || settings.include?(profile.setting) }
        Analysis::Comparison::Side.new(label:, windows: chosen + beside, profiles:, samples:, filter: @filter,
          coverage: coverage(settings), **@span)
      end

      private

      def of_units = {kinds: Series::UNITS, only: @filter}

      # When one setting took turns with another, it was measured only in the windows that it is in.
      def coverage(settings)
        kinds = @filter.kind ? [@filter.kind] : Series::UNITS
        MeasuredTimeQuery.call(@store, **@span, kinds:, settings:).within(seen(settings))
      end

      # The windows that have units, each once, whatever number of settings it has: from when to when. Where
      # short ones were pruned they are longer.
      def seen(settings)
        chosen = @seen.select { |_, setting| settings.nil? || settings.include?(setting) }
        starts = chosen.map { |at_s, _| at_s / @window_s * @window_s }.uniq.sort
        starts.map { |at_s| [at_s, at_s + [@window_s, kept_s(at_s)].max] }
      end

      # @return [Integer] seconds of the shortest windows that are kept there; the older, the longer
      def kept_s(at_s)
        @kept_s ||= {}
        @kept_s.fetch(at_s) { @kept_s[at_s] = @store.finest_s(at_s) }
      end

      # What is beside the units of the filter used the CPU.
      def windows(settings, step_s, **which)
        seen = seen(settings)
        stretches.of(step_s, seen).flat_map do |stretch|
          seconds = stretch.long? ? @window_s : ComparisonIntervals::APART_S
          sums = @store.sums(stretch.from_s, stretch.to_s, step_s: stretch.step_s, seconds:, settings:,
**which)
          found = sums.map(&:window)
          stretch.long? ? stretch.whole(found, seen) : found
        end
      end

      def stretches
        @stretches ||= ComparisonIntervals.new(**@span, window_s: @window_s, began_s:,
          kept_s: method(:kept_s))
      end

      # When processes began, as far as samples or single units tell.
      def began_s
        samples.filter_map { |sample| sample[:since_s] } + profiles.map { |profile| profile.process.since_ns / NS }
      end

      def samples
        @samples ||= @store.processes(*@span.values, **{every_s: Analysis::ProcessReport.every_s(*@span.values)}.compact)
      end

      def profiles
        @profiles ||= UnitSampleQuery.call(@store, *@span.values).select { |profile|
          @filter.series?(profile.series)
        }
      end

      # Of what in a span windows are put together. Those in which a process began, or had just begun, stay as
      # short as they are kept: whether they count is found out for each. So do the ends of the span, which
      # are no whole windows.
      class ComparisonIntervals
        # No window is shorter: each by itself, only hosts are added up, because they are compared together.
        APART_S = 60
        YOUNG_S = Analysis::ProcessBoots::WARM_UP_S

        # `step_s`: how much of it is put together
        Interval = Data.define(:from_s, :to_s, :step_s) do
          # @return [Boolean] whether windows in it are put together
          def long? = step_s > APART_S

          # @return [Interval, nil] the part of it that lies there; nil where none does
          def within(begin_s, end_s)
            part = with(from_s: [from_s, begin_s].max, to_s: [to_s, end_s].min)
            part if part.from_s < part.to_s
          end

          # Whatever series a window is of, it stands for its whole step of the stretch, or for itself where
          # only longer ones are kept.
          # @param windows [Array<Window>] of this stretch
          # @param seen [Array<(Integer, Integer)>] from when to when those were that were put together
          # @return [Array<Window>]
          def whole(windows, seen)
            windows.group_by { |window| window.start_s / step_s }.flat_map do |number, same|
              start_s = [number * step_s, from_s].max
              longest_s = [(number + 1) * step_s, *same.map(&:end_s)].max
              end_s = [longest_s, to_s].min
              seconds = seen.sum { |seen_s, until_s| [[until_s, end_s].min - [seen_s, start_s].max, 0].max }
              same.map { |window| window.with(start_s:, seconds:) }
            end
          end
        end

        # @param from_s [Integer]
        # @param to_s [Integer]
        # @param window_s [Integer] seconds of a window
        # @param began_s [Array<Integer>] when processes began
        # @param kept_s [#call] second => seconds of the shortest windows that are kept there
        def initialize(from_s:, to_s:, window_s:, began_s:, kept_s: ->(_) { APART_S })
          @from_s = from_s
          @to_s = to_s
          @window_s = window_s
          @began_s = began_s
          @kept_s = kept_s
        end

        # @param step_s [Integer] how much is put together, if that is longer than a window
        # @param seen [Array<(Integer, Integer)>] from when to when windows are that have units, ascending
        # @return [Array<Interval>] in the order of time; those that are put together have that step
        def of(step_s, seen)
          return [] if seen.empty?
          return separate(seen) unless step_s > @window_s
          first_s = seen.first.first / step_s * step_s
          end_s = (seen.last.last - 1) / step_s * step_s + step_s
          cut(step_s).filter_map { |stretch| stretch.within(first_s, end_s) }
        end

        private

        def separate(seen)
          joined(seen).filter_map { |from_s, to_s|
            Interval.new(from_s:, to_s:, step_s: APART_S).within(@from_s, @to_s)
          }
        end

        def cut(step_s)
          apart.each_with_object([Interval.new(from_s: @from_s, to_s: @from_s,
            step_s:)]) do |(from_s, to_s), all|
            all << Interval.new(from_s: all.last.to_s, to_s: from_s,
              step_s:) << Interval.new(from_s:, to_s:, step_s: APART_S)
          end
        end

        # Spans that stay as they are; neighbours are one.
        def apart
          first_s = @from_s.ceildiv(@window_s) * @window_s
          last_s = @to_s / @window_s * @window_s
          return [[@from_s, @to_s]] if first_s >= last_s
          young = young_s.select { |begin_s, end_s| begin_s < last_s && end_s > first_s }
          inside = young.map { |begin_s, end_s| [[begin_s, first_s].max, [end_s, last_s].min] }
          joined([[@from_s, first_s], *inside.sort, [last_s, @to_s]])
        end

        def joined(spans)
          spans.each_with_object([]) do |(begin_s, end_s), all|
            next all << [begin_s, end_s] if all.empty? || begin_s > all.last.last
            all.last[1] = [all.last.last, end_s].max
          end
        end

        # The windows of the first minutes of processes: whole ones, or a part of each would be read twice.
        def young_s
          @began_s.uniq.map do |at_s|
            length_s = @kept_s.call(at_s)
            [at_s / length_s * length_s, (at_s + YOUNG_S).ceildiv(length_s) * length_s]
          end
        end
      end
    end
  end
end
