# frozen_string_literal: true

module Holdup
  module Advise
    # Changes of the number of processes or threads, or of the time slice, that a store has seen: each is a
    # test of the model. What was recorded before one predicts what was measured after it.
    class SizeChanges
      # Of the recording before a change, and of the measurement after it.
      SPAN_S = 2 * HOUR_S
      # Sightings of settings are of steps of so many seconds.
      STEP_S = HOUR_S
      # Until so long after its end, windows of a span may still be written.
      COMPLETE_AFTER_S = 300
      # What a prediction is about.
      SIZES = %w[threads workers job_threads job_processes time_slice_ms].freeze

      # - `before`, `after`: Settings without a label; `recorded`: fingerprints of `before` with its labels
      # - `changed_s`: when units first ran under the new one; `since_s`, `to_s`: the span after it, in which
      #   no unit ran under the old one any more
      SizeChange = Data.define(:before, :after, :recorded, :changed_s, :since_s, :to_s) do
        # @return [Integer] second from which on it can be judged
        def ready_s = to_s + COMPLETE_AFTER_S

        # @return [Hash{String => Array(Object, Object)}] values before and after, of what changed of the size
        def sizes
          changed = SIZES.reject { |name| before[name] == after[name] }
          changed.to_h { |name| [name, [before[name], after[name]]] }
        end

        # @return [Symbol, nil] what else changed, so that no prediction of the size can be judged
        def confounder
          differences = Analysis::SettingDifferences.new([before], [after]).differences
          others = differences.map(&:subject) - SIZES
          return if others.empty?
          others.include?("revision") ? :revision : :other_settings
        end

        # @return [String] by which it is known again: once minutes are rolled up, only the hour is left
        def key = [before.fingerprint, after.fingerprint, changed_s / STEP_S].join(" ")

        # @param outcome [PredictionOutcome]
        # @return [Boolean] whether it is of this change
        def of?(outcome)
          recorded.include?(outcome.setting) && outcome.from_s < changed_s && outcome.to_s <= since_s &&
            outcome.at_s > changed_s
        end
      end

      # A setting from its first second to the beginning of the last step in which it was seen.
      SettingRun = Data.define(:setting, :recorded, :first_s, :last_s)
      private_constant :SettingRun

      # @param starts [Array<(Integer, Setting)>] of units, see Store::Reader#setting_starts
      def initialize(starts)
        @starts = starts
      end

      # @return [Array<SizeChange>] the earliest first
      def to_a
        by_server = runs.group_by { |run| server(run.setting) }.values
        by_server.flat_map { |same| same.filter_map { |run| change(same, run) } }.sort_by(&:changed_s)
      end

      private

      def server(setting)
        Analysis::ApplicationShares.server(setting, setting.role)
      end

      def runs
        by_setting = @starts.group_by { |_, setting| setting.unlabelled }
        by_setting.flat_map { |setting, seen| runs_of(setting, seen.sort_by(&:first)) }
      end

      def runs_of(setting, seen)
        apart = seen.slice_when { |one, other| away?(setting, one.first, other.first) }
        apart.map do |run|
          SettingRun.new(setting:, recorded: run.map { |_, labelled| labelled.fingerprint }.uniq,
            first_s: run.first.first, last_s: run.last.first / STEP_S * STEP_S)
        end
      end

      # Where no other setting of the server ran meanwhile, only traffic was missing.
      def away?(setting, one_s, other_s)
        return false unless other_s / STEP_S - one_s / STEP_S > 1
        @starts.any? do |at_s, other|
          at_s > one_s && at_s < other_s && server(other) == server(setting) && other.unlabelled != setting
        end
      end

      def change(all, after)
        before = before(all, after)
        return unless before && sized?(before.setting, after.setting)
        since_s = [after.first_s, before.last_s + STEP_S].max
        SizeChange.new(before: before.setting, after: after.setting, recorded: before.recorded,
          changed_s: after.first_s, since_s:, to_s: since_s + SPAN_S)
      end

      # @return [SettingRun, nil] of the setting that ran until then; nil where none did
      def before(all, after)
        earlier = all.select do |one|
          one.setting != after.setting && one.first_s < after.first_s &&
            one.last_s + SPAN_S >= after.first_s
        end
        earlier.max_by { |one| [one.last_s, one.first_s] }
      end

      def sized?(before, after)
        SIZES.any? { |name| before[name] != after[name] }
      end
    end
  end
end
