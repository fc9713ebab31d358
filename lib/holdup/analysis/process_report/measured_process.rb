# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # One process over its samples.
      # - `name`: "worker 0", "pid 123"; `server`: "puma", "sidekiq" ...; `setting`: fingerprint
      # - `from_s`, `to_s`: when it was there; `cpu_share`: of one core; `waiting_share`: run-queue delay, as
      #   a share of the time that its threads wanted a CPU
      # - `rss_bytes`, `pss_bytes`, `uss_bytes`: as last known; `live_slots`: objects in the heap, the median
      # - `pools`: Array of ProcessPool
      # - `start`: differs between processes with the same pid; `age_s`: measured time, at its last sample
      # - `waiting`: threads that waited for the GVL, on average; `gc_share`: of the time, spent in GC
      # - `redis_rtt_ns`: of a Sidekiq process, the median time of a command to Redis
      MeasuredProcess = Data.define(:host, :pid, :start, :name, :server, :setting, :generation,
        :from_s, :to_s, :age_s, :cpu_share, :waiting_share, :waiting, :gc_share,
        :rss_bytes, :pss_bytes, :uss_bytes, :live_slots, :redis_rtt_ns, :pools) do
        def self.of(trail, from_s:, to_s:, every_s:)
          since_s = trail[:since_s] || trail.first_s
          born = since_s >= from_s
          last_s = trail[:ended] ? trail.last_s : [trail.last_s + every_s, to_s].min
          running = trail.running
          new(**facts(running), **rates(trail, born), age_s: trail.last_s - since_s,
            from_s: [since_s, from_s].max, to_s: last_s, pools: pools(running, born))
        end

        # Threads that had a unit, on average; nil while unknown. See #busy.
        # @param born [Boolean] see SampleTrail#ticked_rate
        def self.busy(trail, born)
          known = with_pools(trail) do |same, name, key|
            pool_busy(same, key, born) unless name.start_with?(CONNECTIONS)
          end
          known.sum if known.any?
        end

        def self.facts(trail)
          keys = %i[host pid start name server setting generation rss_bytes pss_bytes uss_bytes]
          keys.to_h { |key| [key, trail[key]] }
        end

        def self.rates(trail, born)
          {cpu_share: trail.rate(:cpu_ns), waiting_share: waiting_share(trail),
           waiting: waiting(trail, born), gc_share: trail.rate(:gc_time_ns),
           live_slots: trail.median(:live_slots), redis_rtt_ns: trail.median(:redis_rtt_ns)}
        end

        # Each second of stall is a thread that waits for a second.
        def self.waiting(trail, born)
          trail.ticked_rate(:stalled_ns, born:) || trail.mean(:waiting_threads)
        end

        def self.waiting_share(trail)
          cpu_ns = trail.grown(:cpu_ns)
          delay_ns = trail.grown(:run_delay_ns)
          delay_ns.fdiv(cpu_ns + delay_ns) if cpu_ns && delay_ns && cpu_ns + delay_ns > 0
        end

        def self.pools(trail, born)
          with_pools(trail) do |same, name, key|
            ProcessPool.new(name:, max: same[:"#{key}.max"], busy: pool_busy(same, key, born),
              backlog: same.mean(:"#{key}.backlog"), most_backlog: same.max(:"#{key}.backlog"),
              oldest_ns: same.max(:"#{key}.oldest_ns"))
          end
        end

        # A pool that begins later may renumber the others, so only samples with the same name count.
        # @yieldparam same [SampleTrail] its samples, its name, and the prefix of its figures
        def self.with_pools(trail)
          POOLS.filter_map do |key|
            name = trail[key]
            yield trail.with(key, name), name, key if name
          end
        end

        def self.pool_busy(trail, key, born)
          trail.ticked_rate(:"#{key}.busy_ns", born:) || trail.mean(:"#{key}.busy")
        end
        private_class_method :facts, :rates, :waiting, :waiting_share, :pools, :with_pools, :pool_busy

        def identity = [host, pid, start]

        def seconds = [to_s - from_s, 0].max

        def takes?(kind = nil)
          pools.any? { |pool| pool.max != 0 && pool.takes?(kind) }
        end

        def threads = sum_of(:max)

        # Threads that had a unit, on average.
        def busy = sum_of(:busy)

        # @param kind [Symbol, nil] see ProcessPool#takes?
        # @param names [Array<String>, nil] only of these pools
        def thread_seconds(kind, names = nil)
          chosen = pools.select { |pool| pool.takes?(kind) && (names.nil? || names.include?(pool.name)) }
          threads = chosen.filter_map(&:max)
          threads.sum * seconds if threads.any?
        end

        private

        def sum_of(key)
          known = pools.select { |pool| pool.takes?(nil) }.filter_map(&key)
          known.sum if known.any?
        end
      end

      class MeasuredProcess
        # Processes (or containers) over time: from one of their samples to the next, in steps that all have
        # in common, because the collector does not sample all of them in the same second.
        class ProcessTimeSeries
          # What happened between two samples. `cpu_share`: of one core; `gc_share`: of the time; `busy`:
          # threads with a unit; `vcpus`: of a container at that time, nil where its samples do not say.
          ProcessPoint = Data.define(:cpu_share, :gc_share, :rss_bytes, :busy, :vcpus) do
            def self.of(trail)
              born = (trail[:since_s] || trail.first_s) >= trail.first_s
              running = trail.running
              new(cpu_share: trail.rate(:cpu_ns), gc_share: trail.rate(:gc_time_ns),
                rss_bytes: running[:rss_bytes], busy: MeasuredProcess.busy(running, born),
                vcpus: trail[:vcpus])
            end
          end

          # One process. `points`: {Integer => ProcessPoint} by the start of the step.
          ProcessLine = Data.define(:host, :pid, :name, :server, :points) do
            # @param key [Symbol] a member of ProcessPoint
            def values(key, steps)
              steps.map { |at_s| points[at_s]&.public_send(key) }
            end

            def cpu
              points.values.sum { |point| point.cpu_share.to_f }
            end
          end

          # @param every_s [Integer] seconds between two samples, and of a step
          def initialize(trails, every_s:)
            @trails = trails
            @every_s = every_s
          end

          def at_s
            first, last = lines.flat_map { |line| line.points.keys }.minmax
            first ? (first..last).step(@every_s).to_a : []
          end

          def steps(from_s, to_s)
            (step_start(from_s)...to_s).step(@every_s).to_a
          end

          # Most CPU first.
          def lines
            @lines ||= begin
              lines = @trails.map { |trail| line(trail) }.reject { |line| line.points.empty? }
              lines.sort_by { |line| [-line.cpu, line.name.to_s] }
            end
          end

          private

          def line(trail)
            points = whole(trail.pairs).to_h { |pair| [step_start(pair.last_s), ProcessPoint.of(pair)] }
            ProcessLine.new(host: trail[:host], pid: trail[:pid], name: trail[:name], server: trail[:server],
              points:)
          end

          # The last sample of a process comes when it ends, perhaps just after the one before: the rate of a
          # second is no point beside those of minutes.
          def whole(pairs)
            long = pairs.select { |pair| 2 * (pair.last_s - pair.first_s) >= @every_s }
            long.empty? ? pairs : long
          end

          def step_start(at_s)
            at_s / @every_s * @every_s
          end
        end
      end
    end
  end
end
