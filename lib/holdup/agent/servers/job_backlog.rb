# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../runtime/ticker"
require_relative "../../model/quantities"
require_relative "../../model/waiting_queue"

module Holdup
  module Servers
    # Jobs that wait in the database of a job runner. A thread of its own asks every 30 seconds, never one
    # that runs jobs, and less often if that takes long: at most a hundredth of the time.
    #
    # Each query reads at most MOST_JOBS rows in the order of an index that the runner's own tables have, for
    # each of at most MOST_QUEUES queues. On PostgreSQL a query ends after STATEMENT_MS.
    class JobBacklog
      # 30 s, unless `config.tick_seconds` says otherwise.
      EVERY_TICKS = 30
      MOST_QUEUES = 50
      MOST_JOBS = 10_000
      STATEMENT_MS = 500
      # Largest share of the time that reading may take.
      SHARE = 0.01

      # `size`: jobs, at most MOST_JOBS of each queue; `oldest_ns`: how long the oldest of these has waited, 0
      # when none waits, nil when the jobs do not say since when
      WaitingJobs = Data.define(:size, :oldest_ns)

      # @param table [#call] see JobTable
      # @param queues [#call] gives the names of the queues that this process serves; nil: ask which ones
      #   there are
      def initialize(table, guard:, queues: -> {}, clock: Clock.new)
        @table = table
        @guard = guard
        @queues = queues
        @clock = clock
        @waiting = {}.freeze
        @due_ns = 0
      end

      # Asks from now on.
      # @param runtime [Runtime]
      def follow(runtime)
        every_s = EVERY_TICKS * runtime.configuration.tick_seconds
        @ticker = Runtime::Ticker.new(seconds: every_s, guard: @guard).start { look if due? }
        runtime.follow(@ticker)
        self
      end

      # A fork has no such thread.
      def alive? = !!@ticker&.alive?

      def let_go = @ticker&.let_go

      # Asks the database. After a failure the backlog is unknown.
      def look
        started_ns = @clock.monotonic_ns
        found = @guard.call(:job_backlog) { @table.call(@queues.call, now_s: @clock.realtime_ns.fdiv(NS)) }
        @waiting = (found || {}).freeze
        @known = !found.nil?
        took_ns = @clock.monotonic_ns - started_ns
        @due_ns = started_ns + (took_ns / SHARE).round
      end

      # @yieldparam queue [String]
      # @yieldreturn [Boolean] whether the pool takes jobs of it
      # @return [WaitingJobs, nil] of these queues together; nil while unknown
      def of
        return if !@known || (@ticker && !alive?)
        waiting = @waiting.select { |queue, _| yield queue }.values
        ages = waiting.map(&:oldest_ns)
        oldest_ns = ages.max || 0 unless ages.include?(nil)
        WaitingJobs.new(size: waiting.sum(&:size), oldest_ns:)
      end

      # @yieldparam queue [String]
      # @yieldreturn [Integer, nil] the lane in which the pool looks for its jobs; nil: it takes none of it
      # @return [Array<WaitingQueue>] empty while unknown
      def queues
        return [] if of { true }.nil?
        @waiting.filter_map do |name, waiting|
          lane = yield name
          WaitingQueue.new(name:, size: waiting.size, lane:, more: waiting.size >= MOST_JOBS) if lane
        end
      end

      private

      def due? = @clock.monotonic_ns >= @due_ns
    end

    # Asks a table of jobs, by its Active Record model, which jobs wait.
    class JobBacklog::JobTable
      # @param model [Class] of Active Record
      # @param since [Symbol] column: since when a job waits
      # @param order [Array<Symbol>] columns of an index that begins with queue_name
      # @param paused [#call] gives the names of queues whose jobs are not taken
      # @param waiting [#call] narrows a relation to those that wait
      # @yieldreturn [ActiveRecord::Relation] jobs of which some wait, all of them in that index
      def initialize(model, since:, order:, paused: -> { [] }, waiting: ->(jobs) { jobs }, &unfinished)
        @model = model
        @since = since
        @order = order
        @paused = paused
        @waiting = waiting
        @unfinished = unfinished
      end

      # @param queues [Array<String>, nil] nil: all that have jobs
      # @return [Hash{String => WaitingJobs}] by queue, without paused ones
      def call(queues, now_s:)
        in_time do
          names = (queues || names_of(@unfinished.call)).first(JobBacklog::MOST_QUEUES) - @paused.call
          names.to_h { |name| [name, ask(@unfinished.call.where(queue_name: name), now_s)] }
        end
      end

      # @return [WaitingJobs] of all queues together
      def all(now_s:)
        in_time { ask(@unfinished.call, now_s) }
      end

      private

      # A transaction of a statement or two, so that the limit of time is this query's alone, also behind
      # PgBouncer.
      def in_time
        @model.connection_pool.with_connection do |connection|
          next yield unless connection.adapter_name == "PostgreSQL"
          @model.transaction do
            connection.execute("SET LOCAL statement_timeout = #{JobBacklog::STATEMENT_MS}")
            yield
          end
        end
      end

      # One step into the index for each queue; DISTINCT would read all of it.
      def names_of(jobs)
        names = []
        while names.size < JobBacklog::MOST_QUEUES
          rest = names.empty? ? jobs : jobs.where(@model.arel_table[:queue_name].gt(names.last))
          name = rest.minimum(:queue_name) or break
          names << name
        end
        names
      end

      def ask(jobs, now_s)
        next_jobs = @waiting.call(jobs).order(*@order)
          .limit(JobBacklog::MOST_JOBS).select(@since)
        size, oldest = @model.unscoped.from(next_jobs, :waiting)
          .pick(Arel.sql("COUNT(*)"), Arel.sql("MIN(waiting.#{@since})"))
        JobBacklog::WaitingJobs.new(size: size.to_i, oldest_ns: age_ns(oldest, now_s))
      end

      def age_ns(since, now_s)
        return 0 unless since
        at_s = @model.type_for_attribute(@since.to_s).deserialize(since).to_f
        [((now_s - at_s) * NS).round, 0].max
      end
    end
  end
end
