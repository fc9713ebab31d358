# frozen_string_literal: true

module Holdup
  module Advice
    # One class of jobs that takes the GVL from all others of its process: it belongs into a queue and a
    # process of its own. What that brings is replayed, with one process of one thread more.
    module SplitQueue
      # Of the stall, by few of the jobs.
      CAUSED = 0.5
      RARE = 0.25
      STALLED = 0.1

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.jobs? && situation.total.split.share(:stalled) >= STALLED
        blame = situation.summary.blame
        cause = blame.series.first
        return unless cause && poisons?(blame, cause)
        share = blame.caused_share(cause)
        Finding.new(rule: :queue_split, remedy: :jobs, change: JobQueue.new(situation.fact("jobs"), cause.name).change, weight: share * situation.total.split.share(:stalled),
          facts: {name: cause.name, queue: cause.queue.to_s, caused_share: share, count_share: cause.count.fdiv(blame.count), query: "report --kind job --by queue"},
          **situation.effect(own_pool: Sizing::WhatIf::OwnPool.new(name: situation.literal(cause.name), threads: 1)))
      end

      def poisons?(blame, cause)
        blame.series.size > 1 && blame.caused_share(cause) >= CAUSED && cause.count <= RARE * blame.count
      end
      private_class_method :poisons?
    end
  end
end
