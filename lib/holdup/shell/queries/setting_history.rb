# frozen_string_literal: true

module Holdup
  module Queries
    # Reads when settings changed.
    module SettingHistory
      module_function

      # @return [Array<Analysis::SettingChanges::SettingChange>] within the span
      def changes(store, from_s:, to_s:)
        step_s = TimeSeriesQuery.step_s(from_s, to_s, store.finest_s(from_s))
        # The whole first step, as charts read it: of weeks, to read it once more takes a while.
        starts = store.setting_starts(from_s / step_s * step_s, to_s, step_s:, kinds: Series::UNITS)
        first_seen = starts.map { |at_s, setting| Analysis::SettingChanges::FirstSeen.new(at_s:, setting:) }
        gone_s = [Analysis::SettingChanges::LatestChange::GONE_S, 2 * step_s].max
        changes = Analysis::SettingChanges.new(first_seen, gone_s:).to_a
        changes.select { |change| change.at_s >= from_s }
      end
    end
  end
end
