# frozen_string_literal: true

require_relative "../../model/quantities"
require_relative "../instrumentation/clock_step"
require_relative "own_jobs"

module Holdup
  module Servers
    # Delayed Job: a worker takes one job at a time. `rake jobs:work` runs one in its own process,
    # `bin/delayed_job` forks as many as it is told and ends.
    class DelayedJob
      extend Adapter
      include OwnJobs

      AWAITS = %w[Delayed::Worker].freeze
      TASK = /(?:\A|:)jobs:work(?:off)?(?:\[.*\])?\z/
      PROCESSES = {alone: /\Adelayed_job(?:\.\d+)?\b/, programs: %w[delayed_job], task: TASK}.freeze
      NAME = "delayed_job"
      # Delayed::Worker#start has no method for a second job meanwhile.
      FIXED = :delayed_job
      # The title of a worker that `bin/delayed_job -n` has forked.
      NUMBER = /\bdelayed_job\.(\d+)\z/

      class << self
        # The command loads the application before its own class.
        def here?(program: $PROGRAM_NAME)
          task = !!defined?(::Rake.application) && ::Rake.application.top_level_tasks.any?(TASK)
          task || File.basename(program) == NAME
        end

        def jobs? = true

        def own_queue(queue) = {write: "QUEUE=#{queue} rake jobs:work", how: :own_queue}
      end

      def initialize(runtime:, middleware: nil)
        super
        @due = Instrumentation::ClockStep.new
      end

      def install
        return if Hooks::Callbacks.installed?(::Delayed::Worker, :delayed_job)
        Hooks::Callbacks.install(::Delayed::Worker, by: :delayed_job, guard: @runtime.guard,
          before: {start: ->(*) { serving }, run: ->(*) { @works = true }},
          after: {start: ->(*) { finished }, run: ->(*) { @works = false }})
        Hooks::WhenLoaded.call(::Delayed::Worker, :delayed_job, @runtime.guard) { join_lifecycle }
      end

      # The worker is about to look for jobs, in the process that will run them.
      def serving
        guard do
          follow_backlog(DueJobs.new)
          @runtime.serve(identity)
          @runtime.start_collector # also of a worker that `bin/delayed_job` has forked
        end
      end

      # Delayed Job makes its callbacks anew for each worker, by a `new` of each plugin. The first plugin is
      # the outermost.
      # @return [self]
      def new
        ::Delayed::Worker.lifecycle.around(:invoke_job) { |job, &work| measure(job) { work.call(job) } }
        self
      end

      private

      def join_lifecycle
        ::Delayed::Worker.plugins.unshift(self)
        new if ::Delayed::Worker.instance_variable_get(:@lifecycle)
      end

      def run(job)
        run = new_run(nil, name(job), job.queue) or return
        run.ready_ns = ready_ns(job.run_at)
        run.priority = job.priority
        run
      end

      # A job that the application names by itself may have an id in that name, so its class counts.
      def name(job)
        payload = job.payload_object
        delayed_call?(payload) ? "#{owner(payload.object)}#{payload.method_name}" : payload.class.name.to_s
      rescue ::Delayed::DeserializationError
        job.name # the class that its YAML names
      end

      def delayed_call?(payload) = payload.is_a?(::Delayed::PerformableMethod)

      # A mail is named as Active Job's are: UserMailer#welcome.
      def owner(object)
        return "#{object.class}#" unless object.is_a?(Module)
        mailer = defined?(::ActionMailer::Base) && object <= ::ActionMailer::Base
        mailer ? "#{object}#" : "#{object}."
      end

      # When it was due. A job that runs where it is enqueued has no such time; some databases keep whole
      # seconds.
      def ready_ns(due)
        return unless due
        due_ns = due.to_i * NS + due.nsec
        due_ns if @due.fine_enough?(due_ns, @jobs.clock.realtime_ns - due_ns)
      end

      def identity
        queues = Array(::Delayed::Worker.queues).join(",")
        queues = "*" if queues.empty?
        levers = levers(queues)
        Identity.new(
          name: NAME,
          facts: {"jobs" => NAME, "jobs_version" => version, "job_threads" => 1, "job_queues" => queues},
          worker: $PROGRAM_NAME[NUMBER, 1]&.to_i,
          pools: -> { [pool(queues, max: 1, busy: @works ? 1 : 0)] },
          pool_of: ->(_queue) { pool_name(queues) },
          levers: -> { levers },
          fixed: FIXED
        )
      end

      def version = Gem.loaded_specs["delayed_job"]&.version.to_s

      def levers(queues)
        [
          Lever.new(name: "processes", value: nil, write: "bin/delayed_job -n N restart",
            how: :delayed_job_processes),
          Lever.new(name: "queues", value: queues, write: "QUEUES=mails,urgent rake jobs:work")
        ]
      end
    end

    class DelayedJob
      # The table of jobs, in the order of its index (priority, run_at), by which workers take them.
      class DueJobs
        # @return [Hash{String => JobBacklog::WaitingJobs}] all that this worker takes, as one
        def call(_queues, now_s:)
          table = JobBacklog::JobTable.new(::Delayed::Job, since: :run_at, order: %i[priority run_at]) { due }
          {"" => table.all(now_s:)}
        end

        private

        def due
          ::Delayed::Job.ready_to_run(nil, ::Delayed::Worker.max_run_time).where(locked_at: nil)
            .min_priority.max_priority.for_queues
        end
      end
    end
  end
end
