# frozen_string_literal: true

module Holdup
  module Queries
    # Who serves a queue of jobs: which setting (job runners with other queues have others), and in its
    # processes which group of threads (capsule, worker).
    class QueueOwner
      # @param store [Store::Sql]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param queue [String]
      # @raise [UsageError] when no job of that queue was recorded
      def initialize(store, from_s:, to_s:, queue:)
        jobs, views = %i[job pool].map { |kind| store.windows(from_s, to_s, kinds: [kind]).to_a }
        @queue = queue
        @jobs, @views = [jobs, views].map { |windows|
          windows.select { |window| window.series.queue == queue }
        }
        if @jobs.empty?
          raise UsageError.new("no job of queue #{queue[0, 100].inspect} was recorded", hint(jobs))
        end
      end

      # @return [String, nil] fingerprint of the setting under which most of them ran
      def setting
        most(@jobs) { |window| window.setting&.fingerprint }
      end

      # @return [String, nil] name of the group that ran most of them; nil where nobody knows
      def pool
        most(@views.select { |window| window.setting&.fingerprint == setting }) { |window|
          window.series.name
        }
      end

      private

      def most(windows, &)
        windows.group_by(&).max_by { |_, same| same.sum(&:count) }&.first
      end

      def hint(jobs)
        known = jobs.filter_map { |window| window.series.queue }.uniq.sort
        return "there was no job of any queue; --since goes further back" if known.empty?
        NearestName.hint(@queue, known) || "there were #{known.first(10).join(", ")}"
      end
    end
  end
end
