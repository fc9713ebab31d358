# frozen_string_literal: true

require_relative "../lever"
require_relative "setting_source"

module Holdup
  module Servers
    class SolidQueue
      # What of a process of Solid Queue a person can turn: the threads and the processes of each worker, at a
      # restart.
      class Levers
        # @param groups [Array<WorkerThreads>] of this process
        # @param plan [Topology, nil]
        # @param file [SettingSource]
        # @param environment [String] of Rails
        def initialize(groups, plan, file:, environment:)
          @groups = groups
          @plan = plan
          @file = file
          @environment = environment
        end

        # @return [Array<Lever>]
        def to_a
          @groups.uniq.flat_map { |group| [threads(group), processes(group)].compact }
        end

        private

        def threads(group)
          lever(group, group.fibers ? "fibers" : "threads", group.size)
        end

        def processes(group)
          lever(group, "processes", @plan.processes(group)) if @plan&.fork?
        end

        # Several groups in a process have each a lever of that kind.
        def lever(group, word, value)
          where, variable = @file.find(group.queues, word, environment: @environment)
          how = "#{word}: N of the worker for #{group.queues} in #{SettingSource::DEFAULT}"
          Lever.new(name: @groups.uniq.one? ? word : "#{word} (#{group.queues})", value:, where:,
            how: variable ? "#{variable}=N, or #{how}" : how)
        end
      end
    end
  end
end
