# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Under which settings this was measured: what differs per setting, and once what is common.
      class SettingTable < SectionBase
        # @return [Section, nil] nil when no setting is known; sentences only, for facts are too long for
        #   columns
        def call
          return if names.settings.empty?
          Section.new(title: word(:settings), columns: [], rows: [],
            notes: (differing + [shared]).map { |line| Width.clean(line) })
        end

        private

        def names = summary.setting_names

        def differing
          return [] if names.settings.one?
          names.settings.map { |setting| "#{setting.fingerprint}: #{names.facts(setting).join(" ")}" }
        end

        def shared
          facts = names.shared.map { |key, value| "#{key}=#{value}" }.join(" ")
          names.settings.one? ? "#{names.settings.first.fingerprint}: #{facts}" : word(:settings_shared,
            facts:)
        end
      end
    end
  end
end
