# frozen_string_literal: true

module Holdup
  module Advice
    # Units that wait for a database connection: too few for the threads, or kept for too long.
    module DbPool
      MUCH = 0.05

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        connections = situation.summary.connections
        return unless connections.any? && connections.wait_share >= MUCH
        holder = connections.holder
        Finding.new(rule: holder ? :db_pool : :db_pool_unheld, remedy: :setting, weight: connections.wait_share, change: change(situation),
          facts: {wait_share: connections.wait_share, size: connections.size&.to_s, name: holder&.name.to_s,
                  held_share: holder && connections.held_share(holder), query: "report"})
      end

      def change(situation)
        threads = situation.threads
        size = situation.fact("db_pool")
        if threads && size && size < threads
          DatabaseYml.new(situation.written(DatabaseYml::PATH), size:).change(threads)
        end
      end
      private_class_method :change
    end
  end
end
