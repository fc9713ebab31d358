# frozen_string_literal: true

module Holdup
  module Advice
    # Several settings in the time that was looked at: their units are not the same experiment, so each is
    # judged by itself. That applications have different ones is another matter.
    module MixedSettings
      SHOWN = 6

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        names = situation.summary.setting_names
        if names.settings.map(&:unlabelled).uniq.group_by { |setting| setting["app"] }.values.all?(&:one?)
          return
        end
        differing = names.settings.flat_map { |setting| names.facts(setting) }.uniq
        Finding.new(rule: :settings_mixed, remedy: :measuring,
          facts: {count: names.settings.size, differing: differing.first(SHOWN).join(", "), query: "report --by setting"})
      end
    end
  end
end
