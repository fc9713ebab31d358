# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../../model/waiting_queue"
require_relative "../instrumentation/job_units"
require_relative "../instrumentation/sidekiq"
require_relative "../working_folder"
require_relative "."
require_relative "adapter"
require_relative "identity"
require_relative "sidekiq/levers"
require_relative "worker_exits"
require_relative "worker_killers"

module Holdup
  module Servers
    # Sidekiq 7 and 8, in a separate process or embedded. One Launcher runs all of its jobs. When that runs,
    # the application is loaded, every `:startup` hook has been called and no job has been fetched: there
    # measuring starts and the middleware goes ahead of all others. (A `:startup` hook of ours would run
    # before later ones, which may add middlewares; Sidekiq::Launcher#run exists since Sidekiq 4.)
    #
    # Nothing happens at `:quiet` and `:shutdown`: jobs that still run are measured to their end.
    class Sidekiq
      extend Adapter

      AWAITS = %w[Sidekiq::Launcher].freeze
      PROCESSES = {alone: /\Asidekiq \d/}.freeze
      # Exceptions that are not failures: the process stops and puts the job back, an iterable job pauses, a
      # middleware has put the job elsewhere.
      HARMLESS = %w[Shutdown Job::Interrupted JobRetry::Skip].freeze

      NAME = "sidekiq"

      def self.here?
        command? || ObjectSpace.each_object(::Sidekiq::Launcher).any?
      end

      def self.command?
        !!defined?(::Sidekiq::CLI) && ObjectSpace.each_object(::Sidekiq::CLI).any?
      end

      def self.jobs? = true

      def self.own_queue(queue) = {write: "bundle exec sidekiq -q #{queue} -c 1", how: :own_queue}

      def initialize(runtime:, middleware: nil)
        @runtime = runtime
        @clock = Clock.new
        @jobs = Instrumentation::JobUnits.new(recorder: runtime.recorder, clock: @clock)
        @backlogs = {}.compare_by_identity
      end

      def install
        return if Hooks::Callbacks.installed?(::Sidekiq::Launcher, :sidekiq)
        Hooks::Callbacks.install(::Sidekiq::Launcher, by: :sidekiq, guard: @runtime.guard,
          before: {run: ->(launcher, *) { serving(launcher) }},
          after: {stop: ->(launcher, *) { embedded_stopped if launcher.instance_variable_get(:@embedded) }})
        ObjectSpace.each_object(::Sidekiq::Launcher) { |running| serving(running) unless running.stopping? }
      end

      # The process's capsules are about to take jobs.
      def serving(launcher)
        @runtime.guard.call(:sidekiq) do
          capsules = Capsules.new(launcher, backlog(launcher.config))
          put_outermost(launcher.config, capsules)
          hook_killers
          levers = levers(launcher.config, capsules)
          @runtime.serve(Identity.new(
            name: NAME,
            facts: capsules.facts,
            pools: -> { capsules.pools },
            levers: -> { levers },
            gauges: -> { {redis_rtt_ns: RoundTrip.median_ns} },
            fixed: Levers::FIXED
          ))
        end
      end

      # An embedded Sidekiq has ended; its process goes on.
      def embedded_stopped
        @runtime.guard.call(:sidekiq) { @runtime.leave(NAME) }
      end

      private

      # An embedded Sidekiq may run again, and a killer hooks once.
      def hook_killers
        exits = WorkerExits.new(-> { @runtime.configuration.segment_dir })
        @killers ||= WorkerKillers.new(WorkerKillers::SIDEKIQ, exits, guard: @runtime.guard, by: :sidekiq)
        @killers.install
      end

      # Kept, because an embedded Sidekiq may run again with the same configuration and our callback in it.
      def backlog(config)
        return unless @runtime.configuration.backlog
        @backlogs[config] ||= @runtime.guard.call(:sidekiq_backlog) do
          Backlog.new(config, clock: @clock).follow(@runtime.guard)
        end
      end

      # Read once, because they come from files. Jobs are measured without them, too.
      def levers(config, capsules)
        levers = @runtime.guard.call(:sidekiq) do
          embedded = !self.class.command?
          written = SettingSource.new(config, embedded:, env: ENV, arguments: ARGV, root: WorkingFolder.path)
          Levers.new(capsules.to_a, priority: capsules.priority, written:).to_a
        end
        levers || []
      end

      # Each capsule copies the chain at its first use; versions differ in which copy they use.
      def put_outermost(config, capsules)
        known = HARMLESS.select { |name| ::Sidekiq.const_defined?(name) }
        harmless = known.map { |name| ::Sidekiq.const_get(name) }.freeze
        pools = capsules.names.freeze
        runs = Instrumentation::SidekiqRuns.new(@jobs, harmless, pools)
        [config, *pools.keys].each do |owner|
          owner.server_middleware { |chain| chain.prepend(Instrumentation::Sidekiq, runs) }
        end
      end
    end

    class Sidekiq
      # Capsules of one process: groups of threads, each with its own queues and concurrency.
      class Capsules
        def initialize(launcher, backlog = nil)
          @config = launcher.config
          @managers = launcher.managers
          @backlog = backlog
        end

        def to_a = @managers.map(&:capsule)

        # Sidekiq 8 gives its threads a smaller time slice: -1 halves it.
        # @return [Integer, nil] nil where it can't be set
        def priority
          return unless @config.respond_to?(:thread_priority)
          @config.thread_priority || default_priority
        end

        def facts
          {
            "jobs" => "sidekiq",
            "jobs_version" => ::Sidekiq::VERSION,
            "job_threads" => to_a.sum(&:concurrency),
            "job_priority" => priority || 0,
            "job_capsules" => to_a.map { |each| "#{each.name}:#{each.concurrency}" }.join(" "),
            "job_queues" => to_a.flat_map { |each| each.queues.uniq }.join(" "),
            **order
          }
        end

        # Names of the capsules' pools.
        def names
          to_a.to_h { |capsule| [capsule, name(capsule)] }.compare_by_identity
        end

        # Does not ask Redis: the backlog is as of the last heartbeat.
        def pools
          @managers.map { |manager| pool(manager) }
        end

        private

        # In which order threads look at queues. A fetcher that replaces Sidekiq's may do it otherwise.
        def order
          orders = to_a.map { |capsule| QueueOrder.new(capsule) }
          modes = orders.map { |order| order.mode || "unknown" }
          weights = orders.filter_map(&:weights)
          {
            "job_mode" => modes.uniq.one? ? modes.first : modes.join(" "),
            "job_weights" => (weights.join(" ") if weights.any?),
            "job_fetch" => fetcher
          }
        end

        # @return [String, nil] class of a fetcher that replaces Sidekiq's
        def fetcher
          given = @config[:fetch_class] or return
          (given.is_a?(Module) ? given : given.class).name
        end

        # The manager changes its threads under a lock; to_a copies them in one step, so it needs no lock
        # here.
        def pool(manager)
          capsule = manager.capsule
          waiting = @backlog&.of(capsule.queues)
          Pool.new(
            name: name(capsule),
            max: capsule.concurrency,
            busy: manager.workers.to_a.count(&:job),
            backlog: waiting&.size,
            oldest_ns: waiting&.oldest_ns,
            queues: waiting ? QueueOrder.new(capsule).waiting(@backlog) : []
          )
        end

        def name(capsule)
          queues = capsule.queues.uniq
          Pool.short((queues == [capsule.name]) ? capsule.name : "#{capsule.name} (#{queues.join(", ")})")
        end

        def default_priority
          owners = [::Sidekiq, ::Sidekiq::Component]
          owner = owners.find { |each| each.const_defined?(:DEFAULT_THREAD_PRIORITY) }
          owner ? owner::DEFAULT_THREAD_PRIORITY : 0
        end
      end

      # The order in which a capsule's threads look at its queues.
      class QueueOrder
        def initialize(capsule)
          @capsule = capsule
        end

        # @return [String, nil] "strict", "weighted" or "random" (all weights are 1); nil where Sidekiq 7.0
        #   does not say
        def mode
          return @capsule.mode.to_s if @capsule.respond_to?(:mode)
          "weighted" if counts.values.any? { |count| count > 1 }
        end

        # @return [String, nil] "high:3 low:1"; nil unless they differ
        def weights
          counts.map { |name, weight| "#{name}:#{weight}" }.join(" ") if mode == "weighted"
        end

        # @param backlog [Backlog]
        # @return [Array<WaitingQueue>] in one lane where the order is unknown
        def waiting(backlog)
          sizes = backlog.sizes(counts.keys)
          sizes.each_with_index.map do |(name, size), index|
            WaitingQueue.new(name:, size:, lane: mode ? index : 0, weight: weight(name),
              mix: backlog.mix(name))
          end
        end

        private

        # Each queue is there as often as its weight.
        def counts = @capsule.queues.tally

        def weight(name)
          %w[weighted random].include?(mode) ? counts.fetch(name) : 0
        end
      end

      # Number of jobs that wait in a process's queues, and how long the oldest has waited. Asks Redis on
      # Sidekiq's heartbeat thread, every ten seconds, never on a thread that runs jobs, within the client's
      # time limits. One round trip: the length of each list (O(1)) and the job at its end. Once a minute also
      # the classes of the next and the newest jobs of the longest queues.
      class Backlog
        # Limit of queues, to keep the command small.
        MOST = 50
        # Classes are read of so many queues with at least so many jobs, of so many jobs at either end, unless
        # the next job is a long text, as then the others are too.
        MOST_MIXED = 5
        LEAST_MIXED = 50
        MIXED_JOBS = 25
        LONGEST_JOB = 4_096
        MIXED_EVERY_NS = 60 * NS

        # `size`: jobs; `oldest_ns`: 0 when none waits, nil when the job does not say since when
        Waiting = Data.define(:size, :oldest_ns)

        def initialize(config, clock:)
          @config = config
          @clock = clock
          @queues = {}.freeze
          @mixes = {}.freeze
          @short = []
        end

        def follow(guard)
          @config.on(:beat) { guard.call(:sidekiq_backlog) { look } }
          self
        end

        def look
          names = @config.capsules.each_value.flat_map(&:queues).uniq.first(MOST)
          mixed = mixed()
          answers = ask_redis(names, mixed)
          known = answers.first(2 * names.size).each_slice(2).to_a
          @queues = names.zip(known.map { |size, oldest| Waiting.new(size, age(oldest)) }).to_h.freeze
          @short = names.zip(known).filter_map { |name, (_, job)| name if job && job.bytesize <= LONGEST_JOB }
          remember(mixed, answers.drop(2 * names.size)) if mixed.any?
        end

        # @param queues [Array<String>] of a capsule; each as often as its weight
        # @return [Waiting, nil] of all queues together; nil before the first heartbeat
        def of(queues)
          known = @queues.values_at(*queues.uniq).compact
          Waiting.new(known.sum(&:size), known.filter_map(&:oldest_ns).max) if known.any?
        end

        # @param queues [Array<String>]
        # @return [Hash{String => Integer}] jobs of each; without those that were not asked for
        def sizes(queues) = @queues.slice(*queues).transform_values(&:size)

        # @param queue [String]
        # @return [Hash{String => Integer}] class name => jobs, of those that were read; empty without any
        def mix(queue)
          waiting = @queues[queue]
          (waiting && waiting.size >= LEAST_MIXED) ? @mixes.fetch(queue, {}) : {}
        end

        private

        # @return [Array<String>] queues of which jobs are read now
        def mixed
          return [] if @mixed_ns && @clock.monotonic_ns < @mixed_ns + MIXED_EVERY_NS
          long = @queues.slice(*@short).select { |_, waiting| waiting.size >= LEAST_MIXED }
          long.max_by(MOST_MIXED) { |_, waiting| waiting.size }.map(&:first)
        end

        def remember(names, answers)
          @mixed_ns = @clock.monotonic_ns
          mixes = answers.each_slice(2).map { |ends| ends.flatten.map { |job| job_class(job) }.tally }
          @mixes = names.zip(mixes).to_h.freeze
        end

        # Of Active Job's jobs, theirs.
        def job_class(job)
          ::Sidekiq.load_json(job).values_at("wrapped", "class").compact.first.to_s
        end

        def ask_redis(names, mixed)
          @config.redis do |redis|
            redis.pipelined do |pipeline|
              names.each do |name|
                pipeline.call("LLEN", "queue:#{name}")
                pipeline.call("LINDEX", "queue:#{name}", -1)
              end
              mixed.each do |name|
                pipeline.call("LRANGE", "queue:#{name}", -MIXED_JOBS, -1)
                pipeline.call("LRANGE", "queue:#{name}", 0, MIXED_JOBS - 1)
              end
            end
          end
        end

        def age(job)
          return 0 unless job
          ready_ns = Probe::JobStarts.ready_ns(::Sidekiq.load_json(job)["enqueued_at"])
          [@clock.realtime_ns - ready_ns, 0].max if ready_ns
        end
      end

      # Round trip of a Redis command. Sidekiq's heartbeat measures it every ten seconds and keeps the last
      # five. Like every command of a job, it includes the wait for the GVL.
      module RoundTrip
        NS_PER_US = 1_000

        # @return [Integer, nil] nil before the first heartbeat
        def self.median_ns(readings = ::Sidekiq::Launcher::RTT_READINGS.buffer)
          known = readings.reject(&:zero?).sort
          known[known.size / 2] * NS_PER_US if known.any?
        end
      end
    end
  end
end
