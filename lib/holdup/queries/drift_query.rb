# frozen_string_literal: true

module Holdup
  module Queries
    # Reads what it takes to see whether units are as they were before the last change of setting: hardly more
    # than the hours on either side of it, because a report is to take a second.
    module DriftQuery
      # As long as samples of processes are kept.
      LOOK_BACK_S = 48 * 3600
      SAMPLES_S = 600
      # Before the change, and of now.
      SIDE_S = 3600
      WINDOWS_S = 300

      module_function

      # @param store [Store::Sql]
      # @param now_s [Integer]
      # @return [Array<Analysis::SettingDrift>]
      def call(store, now_s)
        samples = store.processes(now_s - LOOK_BACK_S, now_s, every_s: SAMPLES_S)
        settings = store.settings.to_h { |setting| [setting.fingerprint, setting] }
        Analysis::SettingTurn.all(samples, settings:).flat_map { |turn| Analysis::SettingDrift.of(turn, windows(store, turn, now_s), samples) }
      end

      def windows(store, turn, now_s)
        spans = [[turn.at_s - SIDE_S, turn.at_s], [[turn.at_s, now_s - SIDE_S].max, now_s]]
        spans.flat_map { |from_s, to_s| store.windows(from_s, to_s, seconds: WINDOWS_S, kinds: Analysis::SettingDrift::KINDS).to_a }
      end
      private_class_method :windows
    end
  end
end
