# frozen_string_literal: true

module Holdup
  module Queries
    # The part of a span in which units were recorded: from the first to the last of the shortest windows that
    # are kept there. The rest of the span is empty and must not change any answer, so answers are read from
    # this part.
    class RecordedInterval
      # Long windows of the whole span first, then shorter ones at its ends. All of it comes from an index.
      STEPS_S = [86_400, 3600, 60].freeze
      MINUTE_S = 60

      # Longer recordings are read in longer windows.
      WINDOWS_S = {3 * 3600 => 60, 36 * 3600 => 300, Float::INFINITY => 3600}.freeze

      # `from_s`, `to_s`: seconds since 1970
      Interval = Data.define(:from_s, :to_s) do
        # Of a month of minutes there would be too many.
        # @return [Integer] seconds of the windows that it is read in
        def window_s
          WINDOWS_S.find { |longest_s, _| to_s - from_s <= longest_s }.last
        end
      end

      # @param store [Store::Sql]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param settings [Enumerable<Setting>, nil] nil for all
      # @param which [Hash] units, see Store::Sql#windows
      # @return [Interval, nil] whole windows; nil where there are none
      def self.call(store, from_s:, to_s:, settings: nil, **which)
        new(store, settings, which).call(from_s, to_s)
      end

      def initialize(store, settings, which)
        @store = store
        @settings = settings
        @which = which
      end

      # @return [Interval, nil]
      def call(from_s, to_s)
        coarse_s, *finer_s = STEPS_S.drop_while { |step_s| step_s > MINUTE_S && step_s >= to_s - from_s }
        first_s, last_s = starts(from_s, to_s, coarse_s).minmax
        return unless first_s
        last_s = last(last_s, to_s, finer_s)
        Interval.new(from_s: first(first_s, to_s, coarse_s, finer_s), to_s: last_s + @store.finest_s(last_s))
      end

      private

      # Another process may prune meanwhile: then what was found before stands.
      def first(from_s, to_s, step_s, finer_s)
        finer_s.each do |finer|
          from_s = starts(from_s, [from_s + step_s, to_s].min, finer).min || from_s
          step_s = finer
        end
        from_s
      end

      def last(from_s, to_s, finer_s)
        finer_s.reduce(from_s) { |at_s, step_s| starts(at_s, to_s, step_s).max || at_s }
      end

      # In each step the first of each setting.
      def starts(from_s, to_s, step_s)
        seen = @store.setting_starts(from_s, to_s, step_s:, **@which)
        seen = seen.select { |_, setting| @settings.include?(setting) } if @settings
        seen.map(&:first)
      end

      # Which part of a span charts show: the part that has data, in steps that fit it; and the last
      # recording.
      class ChartedSpan
        # What is left out of a chart has to be worth it: less than this part of the span changes nothing for
        # the reader, and data of the last minutes may be on its way.
        WORTH = 0.05
        LATE_S = 300
        # After so long without anything it is another recording.
        PAUSE_S = 1800
        # A recording that goes on for longer is shown to its last day.
        LONGEST_S = 86_400
        # Stores keep nothing for longer.
        BACK_S = 400 * 86_400

        # @param store [Store::Sql]
        # @param filter [Analysis::UnitFilter] of which settings; a narrow one: of which units
        # @param units [Boolean] whether only units count; else also threads of a process that had none
        def initialize(store, filter: Analysis::UnitFilter.new, units: false)
          @store = store
          @filter = filter
          @wanted = units ? {kinds: Series::UNITS, only: filter} : {}
        end

        # @param from_s [Integer] seconds since 1970
        # @param to_s [Integer]
        # @return [Array(Integer, Integer), nil] from the first second that has data to the end of the last;
        #   nil: none has
        def within(from_s, to_s)
          found = RecordedInterval.call(@store, from_s:, to_s:, settings: settings(from_s, to_s), **@wanted)
          found && [[found.from_s, from_s].max, [found.to_s, to_s].min]
        end

        # @param from_s [Integer]
        # @param to_s [Integer]
        # @return [Array(Integer, Integer)] what to show of a span: the part that has data, or all of it where
        #   that is nearly all, or nothing
        def shown(from_s, to_s)
          found = within(from_s, to_s) or return [from_s, to_s]
          cut_s = to_s - from_s - (found.last - found.first)
          (cut_s > [WORTH * (to_s - from_s), LATE_S].max) ? found : [from_s, to_s]
        end

        # @param to_s [Integer]
        # @return [Array(Integer, Integer), nil] the last recording before that, without a pause; nil: there
        #   is none
        def last(to_s)
          found = within([to_s - BACK_S, 0].max, to_s) or return
          finest_s = @store.finest_s(found.last - 1)
          known = starts(found.last - LONGEST_S, found.last, finest_s)
          run = known.slice_when { |one, other| other - one > PAUSE_S + finest_s }.to_a.last
          [run.first, found.last]
        end

        private

        # Of the span, those that the filter wants.
        def settings(from_s, to_s)
          seen = @store.setting_starts(from_s, to_s, step_s: LONGEST_S, **@wanted).map(&:last).uniq
          seen.select { |setting| @filter.setting?(setting) }
        end

        # In the order of time, of steps that have any.
        def starts(from_s, to_s, step_s)
          setting_starts = @store.setting_starts(from_s, to_s, step_s:, **@wanted)
          setting_starts.filter_map { |at_s, setting| at_s if @filter.setting?(setting) }.uniq.sort
        end
      end
    end
  end
end
