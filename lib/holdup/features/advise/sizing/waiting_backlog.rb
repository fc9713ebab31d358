# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # Jobs that waited in the queues of a job runner at the end of a recording, and how fast more of them
      # came. `at_s`: when they were counted; `queues`: Array of BacklogQueue.
      WaitingBacklog = Data.define(:at_s, :queues) do
        # Number of jobs.
        def jobs = queues.sum(&:size)

        # Whether more jobs wait, which were not counted.
        def more? = queues.any?(&:more)

        # @return [Float] jobs per second
        def arrival_rate = queues.sum(&:arrival_rate)

        # @return [Array<Integer>] weight of each lane, see WaitingQueue
        def lanes
          weights = queues.to_h { |queue| [queue.lane, queue.weight] }
          Array.new(weights.keys.max.to_i + 1) { |lane| weights.fetch(lane, 0) }
        end
      end

      # `size`, `lane`, `weight`, `more`, `mix`: as in WaitingQueue; each pool has lanes of its own. `pool`:
      # its name; `arrival_rate`: jobs per second that came
      WaitingBacklog::BacklogQueue = Data.define(:name, :size, :lane, :weight, :more, :mix, :pool,
        :arrival_rate) do
        def initialize(name:, size:, lane: 0, weight: 0, more: false, mix: {}, pool: nil, arrival_rate: 0.0)
          super
        end
      end

      class WaitingBacklog
        # Samples from these seconds before the last one show the queues of other processes.
        LATEST_S = 150
        # Share of a pool's waiting jobs whose queue has to be known.
        KNOWN = 0.95

        # What the samples of processes say of their queues.
        class SampledQueues
          # The waiting jobs in a sample, of all pools: Array of BacklogQueue. `key`: of its process
          ProcessQueues = Data.define(:key, :at_s, :queues)

          # @param samples [Array<Hash{Symbol => Object}>] of processes of one setting
          # @param windows [Array<Window>] of their jobs
          def initialize(samples, windows)
            @samples = samples
            @windows = windows
          end

          # Processes that serve the same queues all report the whole backlog of these, so the largest counts,
          # with the jobs that all of them have read.
          # @return [WaitingBacklog, nil] nil where the queues are unknown, or several pools take from one
          def call
            latest = latest_of_each
            return if latest.empty? || latest.any?(&:nil?)
            by_name = latest.flat_map(&:queues).group_by(&:name).values
            return if by_name.any? { |same| same.map(&:pool).uniq.size > 1 }
            queues = by_name.map { |same| together(same) }
            rates = ArrivalRates.new(longest_series, @windows)
            WaitingBacklog.new(at_s: latest.map(&:at_s).max, queues: queues.sort_by(&:lane).map { |queue|
              queue.with(arrival_rate: rates.of(queue.name))
            })
          end

          private

          def together(same)
            mix = same.map(&:mix).inject { |all, more| all.merge(more) { |_, one, other| one + other } }
            same.max_by(&:size).with(mix:)
          end

          def running = @running ||= @samples.reject { |sample| sample[:ended] }

          def latest_of_each
            last_s = running.map { |sample| sample[:at_s] }.max.to_i
            recent = running.select { |sample| sample[:at_s] >= last_s - LATEST_S }
            newest = recent.group_by { |sample| process(sample) }.values.map do |same|
              same.max_by { |sample| sample[:at_s] }
            end
            newest.map { |sample| of(sample) }
          end

          # Of the process that has most samples.
          def longest_series
            known = running.filter_map { |sample| of(sample) }
            known.group_by(&:key).values.max_by(&:size).to_a.sort_by(&:at_s)
          end

          # @return [ProcessQueues, nil] nil unless nearly all jobs of each pool with queues are known
          def of(sample)
            texts = sample.keys.grep(/\Awaiting\./).group_by { |key| key[/\d+/].to_i }
            pools = texts.sort.map { |pool, keys| queues_of(sample, pool, keys) }
            return if pools.empty? || pools.any?(&:nil?)
            ProcessQueues.new(key: process(sample), at_s: sample[:at_s], queues: apart(pools))
          end

          # @return [Array<BacklogQueue>, nil]
          def queues_of(sample, pool, keys)
            queues = WaitingQueue.parse(keys.sort_by { |key| key[/\d+\z/].to_i }.map { |key| sample[key] })
            return if queues.empty? || queues.sum(&:size) < KNOWN * sample[:"pool.#{pool}.backlog"].to_i
            queues.map { |queue| BacklogQueue.new(**queue.to_h, pool: sample[:"pool.#{pool}"]) }
          end

          # The lanes of a pool come behind those of the pools before it.
          def apart(pools)
            first = 0
            pools.flat_map do |queues|
              own = queues.map { |queue| queue.with(lane: first + queue.lane) }
              first = own.map(&:lane).max + 1
              own
            end
          end

          def process(sample) = sample.values_at(:host, :pid, :start)
        end

        # Jobs of each queue that came while it was recorded: those that ended, and by how many more waited.
        # Minutes in which unusually many came are left out, as it is not known when that happens again.
        class ArrivalRates
          # Share of the intervals that is left out at either end.
          TRIMMED = 0.1
          FEWEST = 5
          # Standard errors above which a rate is no chance: jobs are counted some seconds before or after.
          CERTAIN = 2

          # @param series [Array<SampledQueues::ProcessQueues>] of one process, in the order of time
          # @param windows [Array<Window>] of jobs
          def initialize(series, windows)
            @series = series
            @windows = windows.group_by { |window| window.series.queue }
          end

          # @return [Float] jobs per second; 0.0 where too little is known
          def of(queue)
            rates = rates(queue).sort
            return 0.0 if rates.size < FEWEST
            cut = (rates.size * TRIMMED).ceil
            kept = rates[cut...-cut]
            mean = kept.sum / kept.size
            (mean > CERTAIN * error(kept, mean)) ? mean : 0.0
          end

          private

          def error(rates, mean)
            Math.sqrt(rates.sum { |rate| (rate - mean)**2 } / [rates.size - 1, 1].max / rates.size)
          end

          def rates(queue)
            sizes = @series.map do |pool|
              [pool.at_s, pool.queues.find { |one| one.name == queue }&.size.to_i]
            end
            sizes.each_cons(2).filter_map do |(from_s, before), (to_s, after)|
              next unless to_s > from_s
              (ended(queue, from_s, to_s) + after - before).fdiv(to_s - from_s)
            end
          end

          # Jobs of that queue that ended between two moments.
          def ended(queue, from_s, to_s)
            @windows.fetch(queue, []).sum do |window|
              overlap = [window.start_s + window.seconds, to_s].min - [window.start_s, from_s].max
              (overlap > 0) ? window.count * overlap.fdiv(window.seconds) : 0.0
            end
          end
        end
      end
    end
  end
end
