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
    end
  end
end
