# frozen_string_literal: true

require_relative "../pool"

module Holdup
  module Servers
    class Sidekiq
      # The capsules of one process: groups of threads, each with its own queues and concurrency.
      class Capsules
        # @param launcher [Sidekiq::Launcher]
        # @param backlog [Backlog, nil] nil: nobody asks how many jobs wait
        def initialize(launcher, backlog = nil)
          @config = launcher.config
          @managers = launcher.managers
          @backlog = backlog
        end

        # @return [Array<Sidekiq::Capsule>]
        def to_a = @managers.map(&:capsule)

        # Sidekiq 8 gives its threads a smaller time slice: -1 halves it.
        # @return [Integer, nil] of its threads; nil where it can't be set
        def priority
          @config.thread_priority || default_priority if @config.respond_to?(:thread_priority)
        end

        # @return [Hash{String => Object}] what of them changes results
        def facts
          {"jobs" => "sidekiq", "jobs_version" => ::Sidekiq::VERSION, "job_threads" => to_a.sum(&:concurrency),
           "job_priority" => priority || 0, "job_capsules" => to_a.map { |each| "#{each.name}:#{each.concurrency}" }.join(" "),
           "job_queues" => to_a.flat_map { |each| each.queues.uniq }.join(" ")}
        end

        # @return [Hash{Sidekiq::Capsule => String}] what their pools are called
        def names
          to_a.to_h { |capsule| [capsule, name(capsule)] }.compare_by_identity
        end

        # Asks the process only, not Redis: how many jobs wait is as of the last heartbeat.
        # @return [Array<Pool>] as they are now
        def pools
          @managers.map { |manager| pool(manager) }
        end

        private

        # The threads come and go under the manager's lock; to_a copies them in one step, so that nobody finds
        # them being iterated over.
        def pool(manager)
          capsule = manager.capsule
          waiting = @backlog&.of(capsule.queues)
          Pool.new(name: name(capsule), max: capsule.concurrency, busy: manager.workers.to_a.count(&:job),
            backlog: waiting&.size, oldest_ns: waiting&.oldest_ns)
        end

        def name(capsule)
          queues = capsule.queues.uniq
          Pool.short((queues == [capsule.name]) ? capsule.name : "#{capsule.name} (#{queues.join(", ")})")
        end

        def default_priority
          owner = [::Sidekiq, ::Sidekiq::Component].find { |each| each.const_defined?(:DEFAULT_THREAD_PRIORITY) }
          owner ? owner::DEFAULT_THREAD_PRIORITY : 0
        end
      end
    end
  end
end
