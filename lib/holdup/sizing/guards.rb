# frozen_string_literal: true

module Holdup
  module Sizing
    # The hard limits that no gain outweighs. Each names itself and both numbers, to show why a candidate is
    # rejected. 85 %: beyond it a queue's length is mostly chance (OpenModel), unless the recording shows that
    # a larger share was served; 80 % of the connections leave
    # some for consoles and migrations; 50 threads is the most that Sidekiq itself recommends.
    class Guards
      # `value` is beyond `limit`; units by name: stability units/s, cpu and inflation plain, memory bytes,
      # the others counts, client_timeout ns.
      Violation = Data.define(:name, :value, :limit)

      BUSY = 0.85
      INFLATION = 1.10
      FULL = 0.85
      CONNECTIONS = 0.8
      MOST_JOB_THREADS = 50
      # A tenth of the one-second read timeout that clients of Redis and the like have: a thread that waits
      # longer for the GVL blames the server.
      WAIT_NS = 100_000_000
      # Share of its own time that a job leaves the GVL to others; with less, a second thread adds nothing,
      # unless jobs are very unlike (cv2): then it lets short ones pass.
      IDLE = 0.05
      LIKE = 1.0
      NS = 1_000_000_000

      # @param rate [Float] units per second of a host at its peak; 0 for jobs
      # @param served [Float] what the present setting served in a busy minute, likewise
      def initialize(demand, limits:, rate:, current:, kind: :request, served: 0.0,
        concurrent_load: ConcurrentUnits::NONE)
        @demand = demand.in_all
        @limits = limits
        @rate = rate
        @served = served
        @current = current
        @kind = kind
        @concurrent_load = concurrent_load
      end

      # @param most [Float] units per second that it can serve, if a replay knows it
      def call(candidate, most = ceiling(candidate))
        of_processes(candidate, most) + of_host(candidate)
      end

      def of_processes(candidate, most = ceiling(candidate))
        [above(:stability, @rate, busy * most), inflation(candidate), concurrent_units(candidate),
          pool(candidate), *jobs(candidate)].compact
      end

      def of_host(candidate)
        [cpu, memory(candidate), connections(candidate)].compact
      end

      # @return [Float] units per second that it can serve at most
      def ceiling(candidate)
        model(candidate).throughput
      end

      private

      # Share of what it can serve that a setting may have to serve.
      def busy
        @busy ||= (@served / ceiling(@current)).clamp(BUSY, 1.0)
      end

      # Jobs that always have work. Requests that wait for answers use what CPUs there are with every setting
      # that serves many, and a replay shows what that costs.
      def inflation(candidate)
        if @rate.zero?
          return if @kind == :request
          return above(:inflation, model(candidate).inflation, INFLATION)
        end
        busy = [(@rate * @demand.held_ns.fdiv(NS) + @concurrent_load.cpus) / candidate.processes, 1.0].min
        above(:inflation, model(candidate).inflation_at(busy, @limits.free_vcpus(@rate)), INFLATION)
      end

      # With fewer processes there are also fewer threads for the other kind.
      def concurrent_units(candidate)
        threads = candidate.concurrent_threads
        return unless threads.any? && candidate.processes < @current.processes
        above(:concurrent_units, @concurrent_load.busy / candidate.processes, threads.sum)
      end

      def cpu
        units = @rate * (@demand.cpu_ns + @demand.native_ns).fdiv(NS)
        above(:cpu, @limits.others.at(@rate) + @concurrent_load.cpus + units, BUSY * @limits.vcpus)
      end

      def memory(candidate)
        bytes = @limits.memory_limit_bytes && @limits.memory(candidate, current: @current)
        bytes && above(:memory, bytes, (FULL * @limits.memory_limit_bytes).floor)
      end

      # A pool as large as the threads is not a limit: its line changes with them.
      def pool(candidate)
        return if @limits.pool.nil? || [@current.threads, @current.own_threads].include?(@limits.pool)
        above(:db_pool, candidate.threads + @limits.outside.round, @limits.pool)
      end

      def connections(candidate)
        return unless @limits.connections
        above(:db_connections, @limits.connections_of(candidate), (CONNECTIONS * @limits.connections).floor)
      end

      def jobs(candidate)
        return [] unless @kind == :job
        threads = candidate.own_threads
        model = ClosedModel.new(@demand, processes: candidate.processes)
        wait_ns = model.stall_ns(threads) / [@demand.acquisitions, 1].max
        [above(:job_threads, threads, MOST_JOB_THREADS), above(:client_timeout, wait_ns, WAIT_NS),
          *(cpu_bound(candidate) if computes?)]
      end

      # One thread for each pool of jobs is enough.
      def cpu_bound(candidate)
        pools = 1 + candidate.other_threads.size - candidate.concurrent_threads.size
        above(:cpu_bound, candidate.threads, pools)
      end

      def computes?
        @demand.idle_share < IDLE && @demand.cv2 <= LIKE
      end

      def above(name, value, limit)
        (value > limit) ? Violation.new(name:, value:, limit:) : nil
      end

      # Threads for io count: at most throughput there is io for them.
      def model(candidate)
        threads = candidate.own_threads + candidate.io_threads
        @models ||= {}
        @models[[candidate.processes, threads]] ||=
          SharedCpus.new(@demand, processes: candidate.processes, threads:, limits: @limits)
      end

      # The guards of a deployment where some units have processes of their own: each group has to serve its
      # own, and all groups share the host's CPUs and memory and the database's connections.
      class SplitGuards
        SplitPart = Data.define(:guards, :share)

        # @param parts [Array<SplitPart>] in the order of Candidate#groups
        def initialize(whole, parts)
          @whole = whole
          @parts = parts
        end

        def call(candidate, _most = nil)
          of_groups = each(candidate) { |part, group| part.guards.of_processes(group) }
          (@whole.of_host(candidate) + of_groups.flatten).uniq(&:name)
        end

        # @return [Float] units per second at which the first group is full
        def ceiling(candidate)
          each(candidate) { |part, group| part.guards.ceiling(group) / [part.share, Float::MIN].max }.min
        end

        private

        def each(candidate, &)
          @parts.zip(candidate.groups).map(&)
        end
      end
    end
  end
end
