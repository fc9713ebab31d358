# frozen_string_literal: true

module Holdup
  module Advice
    # Units of several applications: what would help is asked of each by itself.
    module MixedApplications
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        found = situation.summary.applications
        return unless found.several?
        Finding.new(rule: :applications_mixed, remedy: :measuring,
          facts: {count: found.shares.size, apps: found.to_s, most: found.shares.keys.first, query: "report --by setting"})
      end
    end
  end
end
