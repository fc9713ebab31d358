# frozen_string_literal: true

module Holdup
  module Servers
    # What Holdup knows of a server or job runner without its library: what readers in other processes
    # (doctor, advice, sizing, exporters) ask. An adapter extends it and says what differs;
    # `Servers::ADAPTERS` has all.
    module Adapter
      # How its processes look from outside.
      #
      # - `worker`: titles of processes that take requests or jobs; `alone`: titles of those that do unless
      #   they have workers; `programs`: the same by the program that Ruby runs, for processes without a
      #   title; `task`: the same by the task that Rake runs
      # - `children`: whether the children of its programs are workers, with any title
      ServerKind = Data.define(:name, :worker, :alone, :programs, :task, :children) do
        def initialize(name:, worker: nil, alone: nil, programs: [], task: nil, children: false)
          super
        end
      end

      # @return [String] "good_job": the fact `server` or `jobs` of a setting
      def server_name
        name[/\w+\z/].gsub(/(?<=[a-z])(?=[A-Z])/, "_").downcase
      end

      # @return [ServerKind]
      def kind = ServerKind.new(name: server_name, **self::PROCESSES)

      # Whether it runs jobs, and not requests.
      def jobs? = false

      # Whether a process takes one request at a time.
      def one_at_a_time? = false

      # Asked with the facts of a setting.
      # @return [Boolean] whether the master of such workers says how they die, see WorkerExits
      def notes_exits?(_facts) = false

      # @param facts [#[]] of a setting or a process: "server_version", "refork", "preload"
      # @return [Boolean] whether workers are forked from a process that has loaded the application
      def forks_loaded?(facts) = !!facts["preload"]

      # @return [String, nil] the line of its configuration that compacts the heap before such a fork
      def warm_up(_facts) = nil

      # @return [Hash{Symbol => Object}, nil] what gives a queue one thread of its own: `write` and `how` of a
      #   Lever
      def own_queue(_queue) = nil
    end
  end
end
