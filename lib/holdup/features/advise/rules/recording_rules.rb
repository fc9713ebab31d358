# frozen_string_literal: true

module Holdup
  module Advise
    module Rules
      module RecordingRules
        # A recording too short for its conclusions: names what is missing, not a number of requests.
        module RecordingTooShort
          # Twelve blocks of ten minutes.
          WANTED_MINUTES = 120

          module_function

          # The verdict says so itself if most units came right after a boot.
          def call(situation)
            recommendation = situation.recommendation
            result = recommendation&.sufficiency
            return if result.nil? || result.enough? || result.units.zero?
            return if recommendation.reasons.include?(:warming_up)
            wanted = wanted(result)
            facts = {units: result.units, minutes: result.minutes, wanted:,
                     width_share: result.widths.values.max, query: "advise --since #{wanted / 60 + 1}h"}
            Finding.new(rule: :short_sampling, remedy: :measuring, facts:)
          end

          # Four times as many minutes halve a width: with little traffic two hours are not enough.
          # @return [Integer] minutes, whole hours
          def wanted(result)
            return WANTED_MINUTES if result.missing.include?(:hours)
            excess = result.widths.map { |key, width|
              width / Sizing::Sufficiency::WIDTHS.fetch(key)
            }.max.to_f
            [(result.minutes * excess**2).ceil.ceildiv(60) * 60, WANTED_MINUTES].max
          end
          private_class_method :wanted
        end

        # Several settings of one web server or job runner in the time span: each has to be judged by itself.
        module MixedSettings
          SHOWN = 6

          module_function

          def call(situation)
            names = situation.summary.setting_names
            mixed = names.by_role.values.select { |settings| settings.map(&:unlabelled).uniq.size > 1 }
            return if mixed.empty?
            differing = mixed.flat_map do |settings|
              labels = Analysis::SettingDifferences::SettingLabels.new(settings)
              settings.flat_map { |setting| labels.facts(setting) }
            end
            Finding.new(rule: :settings_mixed, remedy: :measuring,
              facts: {count: names.most_of_a_role, differing: differing.uniq.first(SHOWN),
                      query: "report --by setting"})
          end
        end

        module MixedApplications
          module_function

          def call(situation)
            applications = situation.summary.applications
            return unless applications.several?
            Finding.new(rule: :applications_mixed, remedy: :measuring,
              facts: {count: applications.shares.size, apps: applications.to_s,
                      most: applications.shares.keys.first, query: "report --by setting"})
          end
        end
      end
    end
  end
end
