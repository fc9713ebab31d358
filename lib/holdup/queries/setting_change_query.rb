# frozen_string_literal: true

module Holdup
  module Queries
    # Reads when settings changed in a span of the store.
    module SettingChangeQuery
      module_function

      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @return [Array<Analysis::SettingChanges::SettingChange>]
      def call(store, from_s:, to_s:)
        step_s = TimeSeriesQuery.step_s(from_s, to_s, store.finest_s(from_s))
        known = store.setting_starts(from_s, to_s, step_s:, kinds: Series::UNITS).map { |at_s, setting| Analysis::SettingChanges::FirstSeen.new(at_s:, setting:) }
        Analysis::SettingChanges.new(known, gone_s: [Analysis::SettingTurn::GONE_S, 2 * step_s].max).to_a
      end
    end
  end
end
