# frozen_string_literal: true

require_relative "../pool"

module Holdup
  module Servers
    class SolidQueue
      # The threads of one worker and the queues that they serve, planned or running.
      #
      # - `queues`: "mails,urgent", as in the configuration
      # - `size`: jobs at once; `fibers`: whether these are fibers of one thread (Solid Queue 1.4 and later)
      WorkerThreads = Data.define(:queues, :size, :fibers) do
        class << self
          # @param configured [SolidQueue::Configuration::Process] a worker's
          # @return [WorkerThreads]
          def planned(configured)
            options = configured.attributes
            new(queues: Array(options[:queues] || "*").join(","),
              size: options[:fibers] || options[:threads], fibers: options.key?(:fibers))
          end

          # @param worker [SolidQueue::Worker]
          # @return [WorkerThreads]
          def running(worker)
            pool = worker.pool
            new(queues: Array(worker.queues).join(","), size: pool.size,
              fibers: pool.respond_to?(:type) && pool.type == :fiber)
          end

          # @param groups [Array<WorkerThreads>] of one process
          # @return [Hash{String => Object}] what of them changes results
          def facts(groups)
            {"job_threads" => groups.sum(&:size), "job_queues" => groups.map(&:queues).join(";"), "job_pool" => (if groups.any?(&:fibers)
                                                                                                                   "fiber"
                                                                                                                 end)}
          end
        end

        # @return [String] what its pool is called
        def pool_name
          Pool.short("queues #{queues}")
        end

        # @param queue [String]
        # @return [Boolean] whether it takes jobs of that queue; a configuration may say "*" or "mails*"
        def serves?(queue)
          queues.split(",").any? { |pattern| File.fnmatch(pattern, queue) }
        end
      end
    end
  end
end
