# frozen_string_literal: true

module Holdup
  module Advice
    # Units that let go of the GVL thousands of times: each time they stand at the end of the queue again.
    # Usually queries in a loop, or reading in small pieces.
    module ReleaseStorm
      MANY = 1000
      STALLED = 0.02

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        row = situation.summary.rows.select { |each| acquisitions(each) >= MANY }.max_by { |each|
          each.sum(:acquisitions)
        }
        return unless row && situation.total.split.share(:stalled) >= STALLED
        Finding.new(rule: :release_storm, weight: row.stalled_ns.fdiv([situation.total.wall_ns, 1].max), **situation.effect(halved: situation.literal(row.name)),
          facts: {name: row.name, acquisitions: acquisitions(row), stall_ns: row.per_unit(row.stalled_ns), each_ns: row.stall_per_acquisition,
                  query: "report --name #{situation.quoted(row.name)}"})
      end

      def acquisitions(row)
        row.per_unit(row.sum(:acquisitions)).to_f
      end
      private_class_method :acquisitions
    end
  end
end
