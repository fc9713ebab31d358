# frozen_string_literal: true

module Holdup
  module Compare
    # Reads whether requests and jobs differ from those before the last change of a setting.
    module DriftReader
      # As long as samples of processes are kept.
      LOOK_BACK_S = 48 * 3600
      # Mostly no setting has gone: samples this far apart show that. Where one has, closer ones show when.
      FAR_APART_S = 3600
      SAMPLES_S = 600
      # Of windows before the change, and of now, because a report must be ready within a second.
      SIDE_S = 3600
      WINDOWS_S = 300

      module_function

      # @return [Array<SettingDrift>]
      def call(store, now_s)
        return [] if latest_changes(store, samples(store, now_s, FAR_APART_S)).empty?
        samples = samples(store, now_s, SAMPLES_S)
        latest_changes(store, samples).flat_map do |change|
          SettingDrift.of(change, windows(store, change.at_s, now_s), samples)
        end
      end

      def latest_changes(store, samples)
        settings = store.settings.to_h { |setting| [setting.fingerprint, setting] }
        Analysis::SettingChanges::LatestChange.all(samples, settings:)
      end

      def samples(store, now_s, every_s)
        store.processes(now_s - LOOK_BACK_S, now_s, every_s:)
      end

      # Of the hour before the change and of the last hour.
      def windows(store, changed_s, now_s)
        spans = [[changed_s - SIDE_S, changed_s], [[changed_s, now_s - SIDE_S].max, now_s]]
        kinds = Analysis::SettingChanges::KINDS
        spans.flat_map { |from_s, to_s| store.windows(from_s, to_s, seconds: WINDOWS_S, kinds:).to_a }
      end
      private_class_method :latest_changes, :samples, :windows
    end
  end
end
