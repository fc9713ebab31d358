# frozen_string_literal: true

require_relative "../change"
require_relative "../finding"

module Holdup
  module Advice
    module Jit
      # Y19: workers that are forked from a master that has loaded the application, and did not tidy up its heap first.
      module NoWarmup
        HOOKS = {"puma" => "before_fork { Process.warmup }", "pitchfork" => "after_mold_fork { |_server, _mold| Process.warmup }",
                 "unicorn" => "before_fork { |_server, worker| Process.warmup if worker.nr.zero? }"}.freeze

        module_function

        # @param situation [Situation]
        # @return [Finding, nil]
        def call(situation)
          untidy = situation.summary.jits.present.select { |life| life.worker? && life.facts.prepared == false && shared?(life) }
          return if untidy.size < 2
          server = untidy.first["server"]
          Finding.new(rule: :jit_no_warmup, remedy: :setting, change: (Change.new(new: HOOKS[server]) if HOOKS[server]),
            facts: {processes: untidy.size, server: server.to_s, query: "report"})
        end

        # Pitchfork's mold has always loaded it.
        def shared?(life) = life["preload"] || life["server"] == "pitchfork"
        private_class_method :shared?
      end
    end
  end
end
