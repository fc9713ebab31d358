# frozen_string_literal: true

require_relative "group"

module Holdup
  module Servers
    class SolidQueue
      # What a supervisor was told to run. Forked workers are processes each with threads of its own; asynchronous ones
      # share a process, whose facts are those of all of them from the first on.
      class Plan
        # @param configured [SolidQueue::Configuration::Process]
        # @return [Boolean] whether it runs jobs
        def self.worker?(configured) = configured.kind.to_s == "worker"

        # @param configuration [SolidQueue::Configuration]
        def initialize(configuration)
          @groups = configuration.configured_processes.select { |each| Plan.worker?(each) }.map { |each| Group.planned(each) }
          @fork = !configuration.respond_to?(:mode) || configuration.mode.fork?
        end

        # @return [Boolean] whether each worker has a process of its own
        def fork? = @fork

        # @param group [Group] of the worker that has come up
        # @return [Array<Group>] those of its process
        def together(group) = fork? ? [group] : @groups

        # @param group [Group]
        # @return [Integer] processes that serve these queues; of asynchronous ones there is one
        def processes(group) = fork? ? @groups.count(group) : 1

        # @return [Integer] processes that run jobs
        def size = fork? ? @groups.size : 1
      end
    end
  end
end
