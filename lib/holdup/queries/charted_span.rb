# frozen_string_literal: true

module Holdup
  module Queries
    # Which part of a span charts show: the part that has data, in steps that fit it; and the last recording.
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
      # @return [Array(Integer, Integer), nil] the last recording before that, without a pause; nil: there is
      #   none
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
