# frozen_string_literal: true

module Holdup
  module Advice
    # A queue for one class of jobs and a process that takes only that, in the words of the job runner.
    class JobQueue
      # Job runner (fact "jobs" of a setting) => what starts one thread for the queue.
      WORDS = {
        "sidekiq" => "bundle exec sidekiq -q %<queue>s -c 1",
        "solid_queue" => "- { queues: %<queue>s, threads: 1, processes: 1 } (one more worker in config/queue.yml)",
        "good_job" => "bundle exec good_job start --queues \"%<queue>s:1\", the others with \"-%<queue>s\""
      }.freeze

      # @param runner [String, nil]
      # @param job [String] name of its class
      def initialize(runner, job)
        @runner = runner
        @job = job
      end

      # @return [ProposedChange, nil] nil for a runner that nobody knows
      def change
        words = WORDS[@runner]
        words && ProposedChange.new(new: "queue_as :#{queue} in #{@job}; #{format(words, queue:)}")
      end

      # @return [String] "ReportJob" => "report"
      def queue
        name = @job.gsub(/([a-z\d])([A-Z])/, '\1_\2').downcase.gsub(/[^a-z\d]+/, "_")
        name.sub(/_(job|worker)\z/, "")
      end
    end
  end
end
