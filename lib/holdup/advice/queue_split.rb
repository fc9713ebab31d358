# frozen_string_literal: true

require_relative "finding"

module Holdup
  module Advice
    # One class of jobs that takes the GVL from all others of its process: it belongs into a queue and a process of its own.
    module QueueSplit
      # Of the stall, by few of the jobs.
      CAUSED = 0.5
      RARE = 0.25
      STALLED = 0.1

      module_function

      # @param situation [Situation]
      # @return [Finding, nil]
      def call(situation)
        return unless situation.jobs? && situation.total.split.share(:stalled) >= STALLED
        cause = situation.summary.blame.series.first
        return unless cause && poisons?(situation.summary.blame, cause)
        blame = situation.summary.blame
        Finding.new(rule: :queue_split, facts: {name: cause.name, queue: cause.queue.to_s, caused_share: blame.caused_share(cause), count_share: cause.count.fdiv(blame.count),
                                                query: "report --kind job --by queue"}, weight: blame.caused_share(cause) * situation.total.split.share(:stalled), **situation.effect(without: situation.literal(cause.name)))
      end

      def poisons?(blame, cause) = blame.series.size > 1 && blame.caused_share(cause) >= CAUSED && cause.count <= RARE * blame.count
    end
  end
end
