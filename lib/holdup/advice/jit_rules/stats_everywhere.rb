# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y22: deep statistics in every process: they make compiled code a third slower.
      module StatsEverywhere
        OPTION = "--yjit-stats"

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          on = situation.summary.jits.on
          slow = on.select { |life| deep?(life) && !life.local? }
          return if slow.size < 2 || slow.size < on.size
          Finding.new(rule: :jit_stats_everywhere, remedy: :setting, weight: 0.1, change: change(slow.first),
            facts: {processes: slow.size, query: "doctor"})
        end

        def deep?(life)
          life["jit_stats"] == "on" || given?(life)
        end

        def given?(life)
          life.facts.options.to_s.include?(OPTION)
        end

        def change(life)
          given?(life) ? OptionText.without(life,
            OPTION) : ProposedChange.new(new: "config.jit = {stats: :quiet, stats_share: 0.1}")
        end
        private_class_method :deep?, :given?, :change
      end
    end
  end
end
