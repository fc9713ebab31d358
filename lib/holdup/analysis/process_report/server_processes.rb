# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # Processes of one server, on all hosts. Some replace others and are not there at the same time, so sums
      # are what there was at a moment, on average.
      ServerProcesses = Data.define(:server, :processes) do
        # @param processes [Array<MeasuredProcess>]
        # @yieldparam process [MeasuredProcess]
        # @yieldreturn [Numeric, nil] nil is left out
        # @return [Float, nil]
        def self.at_a_moment(processes)
          known = processes.filter_map { |process| (value = yield process) && value * process.seconds }
          known.sum.fdiv([Machine.covered_s(processes), 1].max) if known.any?
        end

        # @return [Float] processes
        def size = Machine.concurrent(processes)

        # @return [Float, nil] CPUs that they used together
        def cpu_share
          self.class.at_a_moment(processes, &:cpu_share)
        end

        # @return [Float, nil] threads that took units
        def busy = self.class.at_a_moment(processes, &:busy)

        # @return [Float, nil] threads that could
        def threads
          self.class.at_a_moment(processes, &:threads)
        end

        # @return [Float, nil] threads that waited for the GVL
        def waiting
          self.class.at_a_moment(processes, &:waiting)
        end

        # @return [Float, nil] of the time of a process, on average
        def gc_share
          (sum = self.class.at_a_moment(processes, &:gc_share)) && sum / size
        end

        # @param key [Symbol] :rss_bytes, :pss_bytes, :uss_bytes
        # @return [Integer, nil] of the processes that were there last
        def memory(key)
          known = present.filter_map(&key)
          known.sum if known.any?
        end

        # @return [Integer, nil] of the process in the middle
        def redis_rtt_ns
          known = processes.filter_map(&:redis_rtt_ns).sort
          known[known.size / 2]
        end

        # @return [Array<MeasuredProcess>] those that were there last
        def present
          processes.select { |process| process.to_s == last_s }
        end

        private

        def last_s = processes.map(&:to_s).max
      end
    end
  end
end
