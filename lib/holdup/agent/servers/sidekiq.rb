# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../instrumentation/job_units"
require_relative "../instrumentation/sidekiq"
require_relative "method_hook"
require_relative "identity"
require_relative "sidekiq/backlog"
require_relative "sidekiq/capsules"
require_relative "sidekiq/levers"
require_relative "sidekiq/round_trip"

module Holdup
  module Servers
    # Sidekiq 7 and 8, as a process of its own or embedded in another. All of its jobs run under one Launcher;
    # when that runs, the application is loaded, every `:startup` hook has been called and no job has been
    # fetched. So that is where measuring starts and the middleware goes ahead of all others. (A `:startup`
    # hook of ours would come before those that are registered later, which may add middlewares;
    # Sidekiq::Launcher#run has been the place since Sidekiq 4.)
    #
    # Nothing is done at `:quiet` and `:shutdown`: jobs still run then, and are measured to their end.
    class Sidekiq
      # Ends of a run that are no failures: the process stops and puts the job back, an iterable job gives
      # way, a middleware has put the job elsewhere.
      HARMLESS = %w[Shutdown Job::Interrupted JobRetry::Skip].freeze

      NAME = "sidekiq"

      # @return [Boolean] whether this process is run by Sidekiq
      def self.here?
        command? || ObjectSpace.each_object(::Sidekiq::Launcher).any?
      end

      # @return [Boolean] whether it is the `sidekiq` command
      def self.command?
        !!defined?(::Sidekiq::CLI) && ObjectSpace.each_object(::Sidekiq::CLI).any?
      end

      # @param runtime [Runtime]
      # @param middleware [#call] not for jobs
      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        @clock = Clock.new
        @jobs = Instrumentation::JobUnits.new(recorder: runtime.recorder, clock: @clock)
        @backlogs = {}.compare_by_identity
      end

      # @return [void]
      def install
        return if ::Sidekiq::Launcher.ancestors.any?(MethodHook)
        ::Sidekiq::Launcher.prepend(MethodHook.new(before: {run: ->(launcher, *) { serving(launcher) }},
          after: {stop: ->(launcher, *) { left if launcher.instance_variable_get(:@embedded) }}))
        ObjectSpace.each_object(::Sidekiq::Launcher) { |running| serving(running) unless running.stopping? }
      end

      # In a process whose capsules are about to take jobs.
      # @param launcher [Sidekiq::Launcher]
      # @return [void]
      def serving(launcher)
        @runtime.guard.call(:sidekiq) do
          capsules = Capsules.new(launcher, backlog(launcher.config))
          put_outermost(launcher.config, capsules)
          levers = levers(launcher.config, capsules)
          @runtime.serve(Identity.new(name: NAME, facts: capsules.facts, pools: -> { capsules.pools },
            levers: -> { levers }, gauges: -> { {redis_rtt_ns: RoundTrip.median_ns} }))
        end
      end

      # What was embedded has ended, its process goes on.
      # @return [void]
      def left
        @runtime.guard.call(:sidekiq) { @runtime.leave(NAME) }
      end

      private

      # An embedded one may run again with the same configuration, which then calls us still.
      def backlog(config)
        return unless @runtime.configuration.backlog
        @backlogs[config] ||= @runtime.guard.call(:sidekiq_backlog) {
          Backlog.new(config, clock: @clock).follow(@runtime.guard)
        }
      end

      # Read once: files are not for every tick. Without them there are still jobs to measure.
      def levers(config, capsules)
        @runtime.guard.call(:sidekiq) do
          written = SettingSource.new(config, embedded: !self.class.command?, env: ENV, arguments: ARGV,
            root: Dir.pwd)
          Levers.new(capsules.to_a, priority: capsules.priority, written:).to_a
        end || []
      end

      # Each capsule has a copy of the chain, made at its first use; whose is used differs by version.
      def put_outermost(config, capsules)
        harmless = HARMLESS.filter_map { |name|
          ::Sidekiq.const_get(name) if ::Sidekiq.const_defined?(name)
        }.freeze
        pools = capsules.names.freeze
        [config, *pools.keys].each do |owner|
          owner.server_middleware { |chain| chain.prepend(Instrumentation::Sidekiq, @jobs, harmless, pools) }
        end
      end
    end
  end
end
