# frozen_string_literal: true

require_relative "worker_threads"

module Holdup
  module Servers
    class SolidQueue
      # What a supervisor was told to run. Forked workers are processes each with threads of its own;
      # asynchronous ones share a process, whose facts are those of all of them from the first on.
      class Topology
        # @param configured [SolidQueue::Configuration::Process]
        # @return [Boolean] whether it runs jobs
        def self.worker?(configured)
          configured.kind.to_s == "worker"
        end

        # @param configuration [SolidQueue::Configuration]
        def initialize(configuration)
          @groups = configuration.configured_processes.select { |each| Topology.worker?(each) }.map { |each|
            WorkerThreads.planned(each)
          }
          @fork = !configuration.respond_to?(:mode) || configuration.mode.fork?
        end

        # @return [Boolean] whether each worker has a process of its own
        def fork? = @fork

        # @param group [WorkerThreads] of the worker that has come up
        # @return [Array<WorkerThreads>] those of its process
        def together(group)
          fork? ? [group] : @groups
        end

        # @param group [WorkerThreads]
        # @return [Integer] processes that serve these queues; of asynchronous ones there is one
        def processes(group)
          fork? ? @groups.count(group) : 1
        end

        # @return [Integer] processes that run jobs
        def size
          fork? ? @groups.size : 1
        end
      end
    end
  end
end
