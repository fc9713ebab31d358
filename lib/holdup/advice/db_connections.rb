# frozen_string_literal: true

module Holdup
  module Advice
    # More connections than the database server has for this application: all goes well until all threads want
    # one at once, at a peak or while old and new processes overlap. How many the server has is not known to
    # the application without asking the database, which nobody of ours does, so it has to be said
    # (--db-connections).
    module DbConnections
      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        limit = situation.recommendation&.limits&.connections or return
        use = situation.summary.processes.connections
        possible = use.total
        return unless possible > Sizing::Guards::CONNECTIONS * limit
        Finding.new(rule: :db_connections, remedy: :setting, weight: [possible.fdiv(limit), 1.0].min,
          facts: {possible:, requests: use.of_kind(:request), jobs: use.of_kind(:job), limit:, room_share: Sizing::Guards::CONNECTIONS,
                  query: "advise --db-connections #{limit}"})
      end
    end
  end
end
