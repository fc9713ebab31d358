# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether units stall longer or take more CPU than before the last change of setting, and what else
      # changed with it.
      module Drift
        def self.call(host) = findings(host.drifts)

        # @param drifts [Array<Analysis::SettingChanges::SettingDrift>]
        # @return [Array<CheckResult>] also for the report
        def self.findings(drifts)
          drifts.flat_map { |drift|
            [settings(drift), *drift.moved.map { |estimate| moved(drift, estimate) }].compact
          }
        end

        def self.settings(drift)
          return if drift.differences.empty?
          CheckResult.ok(:setting_changed, server: drift.change.server, facts: drift.differences.join(", "))
        end

        def self.moved(drift, estimate)
          key = :"drift_#{estimate.metric.name}_#{estimate.verdict}"
          facts = {server: drift.change.server, change: format("%.0f %%", estimate.relative.abs * 100),
                   since: Time.at(drift.change.at_s).strftime("%F %H:%M %:z")}
          (estimate.verdict == :worse) ? CheckResult.warn(key, **facts) : CheckResult.ok(key, **facts)
        end
        private_class_method :settings, :moved
      end
    end
  end
end
