# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # Y19: workers that are forked from a master that has loaded the application, and did not tidy up its
      # heap first.
      module NoWarmup
        HOOKS = {"puma" => "before_fork { Process.warmup }", "pitchfork" => "after_mold_fork { |_server, _mold| Process.warmup }",
                 "unicorn" => "before_fork { |_server, worker| Process.warmup if worker.nr.zero? }"}.freeze

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          untidy = situation.summary.jits.present.select { |life|
            life.worker? && life.facts.prepared == false && shared?(life)
          }
          return if untidy.size < 2
          hook = hook(untidy.first)
          Finding.new(rule: :jit_no_warmup, remedy: :setting, change: (ProposedChange.new(new: hook) if hook),
            facts: {processes: untidy.size, server: untidy.first["server"].to_s, query: "report"})
        end

        # Where workers fork others, it is the worker's heap.
        def hook(life)
          return HOOKS[life["server"]] unless life["refork"] && life["server"] == "puma"
          (life["server_version"].to_i >= 7) ? "before_refork { Process.warmup }" : "on_refork { Process.warmup }"
        end

        # Pitchfork's mold has always loaded it.
        def shared?(life)
          life["preload"] || life["server"] == "pitchfork"
        end
        private_class_method :hook, :shared?
      end
    end
  end
end
