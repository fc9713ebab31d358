# frozen_string_literal: true

module Holdup
  module Doctor
    module Checks
      # Whether the processes that shall capture by rule do, and what that costs them.
      module Captures
        class << self
          def call(host)
            ruled = host.alive.select { |process| process.profile["capture.rule"] }
            ruled.group_by { |process| trouble(process) }.map { |trouble, processes|
              finding(trouble, processes)
            }
          end

          private

          def trouble(process)
            {"no memory" => :capture_no_memory,
             "no room" => :capture_no_room}[process.profile["capture.state"]]
          end

          def finding(trouble, processes)
            facts = {rule: processes.map { |process| process.profile["capture.rule"] }.uniq.join("; "),
                     processes: processes.size}
            trouble ? CheckResult.warn(trouble,
**facts) : CheckResult.ok(:capture_rule, **facts, **cost(processes))
          end

          def cost(processes)
            shares = processes.filter_map(&:ring_share)
            {waiting: shares.size, cost: shares.empty? ? "-" : format("%.2f %%", 100 * shares.max)}
          end
        end
      end
    end
  end
end
