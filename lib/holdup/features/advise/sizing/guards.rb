# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The hard limits that no gain outweighs. Each names itself and both numbers, to show why a candidate is
      # rejected. Threads and CPUs count as full from Thresholds::FULL on, unless the recording shows that a
      # larger share was served: a guard that contradicts the recording is wrong. 80 % of the connections
      # leave some for consoles and migrations; 50 threads is the most that Sidekiq itself recommends.
      class Guards
        # `value` is beyond `limit`; units by name: stability units/s, cpu and inflation plain, memory bytes,
        # unknown_cost a share of the throughput, client_timeout ns, the others counts.
        Violation = Data.define(:name, :value, :limit)

        INFLATION = 1.10
        CONNECTIONS = 0.8
        MOST_JOB_THREADS = 50
        # A tenth of the one-second read timeout that clients of Redis and the like have: a thread that waits
        # longer for the GVL blames the server.
        WAIT_NS = 100_000_000
        # Share of its own time that a job leaves the GVL to others; with less, a second thread adds nothing,
        # unless jobs are very unlike (cv2): then it lets short ones pass.
        IDLE = 0.05
        LIKE = 1.0
        # Share of the throughput by which grade B may be wrong.
        UNKNOWN = 0.2
        # A figure may exceed a limit by so much, because both are rounded.
        ROUNDING = 1e-9

        # @param rate [Float] units per second of a host at its peak; 0 for jobs
        # @param served [Float] what the present setting served in a busy minute, likewise
        # @param recorded [Guards] for the units that it served then, where these are others
        # @param constant_load [Boolean] whether as many jobs ran all the time, so that it is not known what
        #   they take with other numbers of threads
        def initialize(demand, limits:, rate:, current:, kind: :request, served: 0.0, recorded: nil,
          concurrent_load: ConcurrentUnits::NONE, constant_load: false)
          @recorded = recorded || self
          @demand = demand.in_all
          @limits = limits
          @rate = rate
          @served = served
          @current = current
          @kind = kind
          @concurrent_load = concurrent_load
          @constant_load = constant_load
        end

        # @param most [Float] units per second that it can serve, if a replay knows it
        # @param now [Float, nil] likewise of the present setting
        def call(candidate, most = ceiling(candidate), now: nil)
          of_processes(candidate, most, now:) + of_host(candidate)
        end

        def of_processes(candidate, most = ceiling(candidate), now: nil)
          [above(:stability, @rate, busy(now) * most), inflation(candidate), concurrent_units(candidate),
            pool(candidate), *jobs(candidate)].compact
        end

        def of_host(candidate)
          [cpu, memory(candidate), connections(candidate)].compact
        end

        # @return [Float] units per second that it can serve at most; of the present setting at least what it
        #   served
        def ceiling(candidate)
          model(candidate).throughput * @recorded.underestimate
        end

        protected

        # Factor by which the model's ceiling of the present setting is below what that served, at least 1.
        def underestimate
          @underestimate ||= (@kind == :request) ? [@served / model(@current).throughput, 1.0].max : 1.0
        end

        # Share of what it can serve that the present setting served. With other units than it served, what a
        # replay of it says may be any.
        # @param now [Float, nil] see call
        # @param same [Boolean] whether these are the units that it served
        def served_share(now, same:)
          share = @served / (now || ceiling(@current))
          same ? share : [share, 1.0].min
        end

        # Factor by which holds of the present setting get longer.
        def served_inflation = model(@current).inflation

        # Share of the host's CPUs that were in use then.
        def served_cpus
          @served_cpus ||= cpus(@served) / @limits.vcpus
        end

        private

        # Share of what it can serve that a setting may have to serve.
        def busy(now)
          [@recorded.served_share(now, same: @recorded.equal?(self)), Analysis::Thresholds::FULL].max
        end

        # How much longer holds get, for jobs that always have work. What the recorded setting has breaks no
        # limit. For requests the replay shows the cost.
        def inflation(candidate)
          return unless @kind == :job
          above(:inflation, model(candidate).inflation, [INFLATION, @recorded.served_inflation].max)
        end

        # Fewer processes also mean fewer threads for the other kind.
        def concurrent_units(candidate)
          threads = candidate.concurrent_threads
          return unless threads.any? && candidate.processes < @current.processes
          above(:concurrent_units, @concurrent_load.busy / candidate.processes, threads.sum)
        end

        def cpu
          above(:cpu, cpus(@rate), [Analysis::Thresholds::FULL, @recorded.served_cpus].max * @limits.vcpus)
        end

        # @param rate [Float] units per second
        # @return [Float] of the host, that are in use
        def cpus(rate)
          units = rate * (@demand.cpu_ns + @demand.native_ns).fdiv(NS)
          @limits.others.at(rate) + @concurrent_load.cpus + units
        end

        def memory(candidate)
          bytes = @limits.memory_limit_bytes && @limits.memory(candidate, current: @current)
          bytes && above(:memory, bytes, (Analysis::Thresholds::FULL * @limits.memory_limit_bytes).floor)
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
            *(cpu_bound(candidate) if computes?), *(unknown_cost(candidate) if @constant_load)]
        end

        # A setting serves so much more or less than predicted if concurrency costs jobs as much as it may: in
        # running, and in waits for what they share. Database-bound jobs waited twice as long with five
        # threads as alone (24.7 and 12.3 ms), and took 15 % more CPU. No formula knows pools that share a
        # GVL.
        def unknown_cost(candidate)
          return if candidate.shared?
          known, other = [@demand, costly].map do |demand|
            SharedCpus.new(demand, processes: candidate.processes, threads: candidate.own_threads,
              limits: @limits).throughput
          end
          above(:unknown_cost, (other / known - 1).abs, UNKNOWN)
        end

        # The same jobs with so many of them, but with the largest growth: of all but the time that they
        # sleep.
        def costly
          @costly ||= begin
            growth = ServiceDemand::DemandEstimates::MOST
            most = CoherencyCost.new(growth:, idle_growth: growth, recorded_processes: @current.processes)
            constant = @demand.in_flight(@current.own_threads, processes: @current.processes)
            factor = most.factor(in_flight: @current.own_threads)
            waits = (1 - @demand.asleep) / most.idle_factor(@current.own_threads)
            alone = @demand.asleep + waits
            constant.with(held_ns: constant.held_ns / factor, cpu_ns: constant.cpu_ns / factor,
              idle_ns: constant.idle_ns * alone, cost: most.with(idle_growth: growth * waits / alone))
          end
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
          (value > limit * (1 + ROUNDING)) ? Violation.new(name:, value:, limit:) : nil
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

          def call(candidate, _most = nil, now: nil)
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
end
