# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # How many processes the jobs of each queue need to begin within a time.
      #
      # Jobs that arrive faster than they are served wait: at a constant throughput c, a job waits for the
      # work before it divided by c. The smallest c at which none of the recorded jobs would have waited
      # longer, divided by what one process of the present setting serves of this queue alone, is the number
      # of processes. A process that serves several queues counts for each by its share of the time, so the
      # sum of all queues is what they need together.
      class JobDeadlines
        WITHIN_S = JOBS_WITHIN_S
        STEPS = 50

        # `rate`, `peak_rate`: jobs that arrive per second, on average and in the busiest minute (or longer
        # interval of the store); `process_rate`: jobs per second of one process; `waited_ns`: 95th percentile
        # as recorded, nil when unknown; `processes`: Float
        QueueNeed = Data.define(:queue, :rate, :peak_rate, :process_rate, :waited_ns, :processes)

        # `queues`: QueueNeeds, most processes first; `now`: processes on all hosts
        DeadlineNeeds = Data.define(:within_s, :now, :queues) do
          # @return [Float] of all queues together
          def processes = queues.sum(&:processes)
        end

        # @param recommendation [Recommendation] of jobs
        def initialize(recommendation, within_s: WITHIN_S)
          @recommendation = recommendation
          @within_s = within_s
        end

        # @return [DeadlineNeeds, nil] nil for requests, and where replays of the recording are not valid
        def call
          queues = known? ? needs.sort_by { |need| [-need.processes, need.queue.to_s] } : []
          return if queues.empty?
          now = @recommendation.now.processes * recording.hosts
          DeadlineNeeds.new(within_s: @within_s, now:, queues:)
        end

        private

        def recording = @recommendation.recording

        def known?
          recording.kind == :job && @recommendation.verdict != :unknown
        end

        def needs
          windows = recording.windows.group_by { |window| window.series.queue }
          windows.filter_map { |queue, same| need(queue, same) }
        end

        def need(queue, windows)
          process_rate = process_rate(queue) or return
          arrivals = ArrivalCurve.of(windows)
          QueueNeed.new(queue:, rate: arrivals.mean, peak_rate: arrivals.peak, process_rate:,
            waited_ns: waited_ns(queue), processes: arrivals.rate_within(@within_s) / process_rate)
        end

        # What a process serves that runs nothing but jobs of this queue, in the threads that take them.
        def process_rate(queue)
          part = @recommendation.traffic.map { |unit| unit if unit.series.queue == queue }
          return if part.empty?
          forecast = @recommendation.forecast(demand: @recommendation.estimates.call(part))
          now = @recommendation.now
          threads = now.caps[recording.pools.several? ? recording.pools.index(part.unit_samples.first) : 0]
          alone = now.with(threads:, other_threads: [], concurrent_threads: [])
          forecast.estimate(alone).ceiling / now.processes
        end

        def waited_ns(queue)
          same = recording.unit_samples.select { |unit| unit.series.queue == queue && unit.queued_ns }
          return if same.empty?
          sorted = same.sort_by(&:queued_ns)
          left = sorted.sum(&:weight) * 0.95
          sorted.find { |unit| (left -= unit.weight) <= 0 }.queued_ns
        end

        # Jobs by the interval in which they arrived.
        class ArrivalCurve
          # @param windows [Array<Window>] of jobs, all of one length. They have a job where it ended or was
          #   read; it arrived earlier by its queue time
          def self.of(windows)
            step_s = windows.map(&:seconds).max
            counts = windows.each_with_object(Hash.new(0)) do |window, sums|
              queued_s = window.histograms.fetch(:queued).mean.to_f / 1e9
              sums[((window.start_s - queued_s) / step_s).floor] += window.count
            end
            first, last = counts.keys.minmax
            new((first..last).map { |index| counts.fetch(index, 0) }, step_s:)
          end

          # @param counts [Array<Integer>] of consecutive intervals
          def initialize(counts, step_s:)
            @counts = counts
            @step_s = step_s
          end

          def mean
            @counts.sum.fdiv(@counts.size * @step_s)
          end

          def peak = @counts.max.fdiv(@step_s)

          # @return [Float] the lowest throughput at which no job waits longer, and the queue does not grow
          #   for ever
          def rate_within(limit_s)
            low = mean
            return low if longest_wait_s(low) <= limit_s
            high = peak
            STEPS.times do
              middle = (low + high) / 2
              (longest_wait_s(middle) > limit_s) ? low = middle : high = middle
            end
            high
          end

          private

          def longest_wait_s(rate)
            return Float::INFINITY unless rate.positive?
            left = 0.0
            most = @counts.map { |count| left = [left + count - rate * @step_s, 0.0].max }.max
            most / rate
          end
        end
      end
    end
  end
end
