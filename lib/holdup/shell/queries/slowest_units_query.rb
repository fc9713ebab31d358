# frozen_string_literal: true

module Holdup
  module Queries
    # Reads the slowest requests and jobs of a span, as far as they are kept, and the minutes of which their
    # chains are made.
    module SlowestUnitsQuery
      MOST = 10
      # What chains need of a minute's windows, beside sums.
      HEADS = %i[wall stalled idle].freeze

      # `slow`: SlowUnit; `chain`: Analysis::WaitChain
      ExplainedUnit = Data.define(:slow, :chain)

      # `units`: Array of ExplainedUnit, slowest first; `from_s`: start of the first minute of which the
      # slowest are kept, nil without any; `whole`: whether nothing of the span was recorded before
      KeptUnits = Data.define(:units, :from_s, :whole)

      module_function

      # @param filter [Analysis::UnitFilter] which units
      # @return [KeptUnits]
      def call(store, from_s:, to_s:, filter:, most: MOST)
        kept_from_s = store.slowest_from_s
        return KeptUnits.new(units: [], from_s: nil, whole: false) unless kept_from_s && kept_from_s < to_s
        minutes = Hash.new { |known, start_s| known[start_s] = windows(store, start_s) }
        units = units(store, from_s:, to_s:, filter:, most:).map do |slow|
          minute = minutes[slow.end_ns / NS / MINUTE_S * MINUTE_S]
          ExplainedUnit.new(slow:, chain: Analysis::WaitChain.of(slow, minute))
        end
        KeptUnits.new(units:, from_s: kept_from_s, whole: whole?(store, from_s, kept_from_s))
      end

      # Without their chains, each of which reads a minute.
      # @return [Array<SlowUnit>] slowest first
      def units(store, from_s:, to_s:, filter:, most:)
        settings = store.settings.select { |setting| filter.setting?(setting) } if filter.threads
        store.slowest_units(from_s, to_s, most:, settings:, kinds: Series::UNITS, only: filter)
      end

      # @param slow [SlowUnit]
      # @return [Analysis::WaitChain]
      def chain(store, slow)
        Analysis::WaitChain.of(slow, windows(store, slow.end_ns / NS / MINUTE_S * MINUTE_S))
      end

      # What a unit adds to windows may be in the minute before the one in which it ended.
      def whole?(store, from_s, kept_from_s)
        recorded_from_s = [from_s, store.extent.first || from_s].max
        kept_from_s <= recorded_from_s + MINUTE_S
      end

      def windows(store, start_s)
        kinds = Analysis::WaitChain::KINDS
        sums = store.sums(start_s, start_s + MINUTE_S, kinds:, histograms: [], heads: HEADS)
        sums.map(&:window)
      end
      private_class_method :whole?, :windows
    end
  end
end
