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
        step_s = Analysis::Comparison::TimeBlocks.length_s(parts.map { |recorded, _, settings| recorded.covered_s(settings) }.min)
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
    end
  end
end
