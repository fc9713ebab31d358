# frozen_string_literal: true

module Holdup
  module Analysis
    # The highest CPU share of a container that its Ruby processes can reach. One process runs Ruby on one CPU
    # at a time, because one thread holds its GVL; only native code that has released the GVL uses another
    # CPU, in proportion to the Ruby that calls it. So with fewer processes than vCPUs the container never
    # reaches 100 %, however many requests and jobs wait.
    #
    #   CpuCeiling.new(vcpus: 2, processes: 1).range  # => 0.5..0.55
    class CpuCeiling
      # Least CPUs of the rest of the container (master, collector, shell) for each CPU of these processes.
      OTHER_CPUS = 0.1
      # A ceiling above this is not worth a sentence.
      HIGH = 0.9
      # Targets of autoscalers are set in steps of a twentieth.
      TARGETS = 20

      attr_reader :vcpus, :processes, :native_ratio

      # @param vcpus [Numeric] what the container may use, from its CPUs and its quota
      # @param processes [Integer] that take units at the same time
      # @param native_ratio [Float] CPU time without the GVL for each second of CPU time with it
      # @param other_cpus [Float] CPUs that other processes of the container were seen to use
      def initialize(vcpus:, processes:, native_ratio: 0.0, other_cpus: 0.0)
        @vcpus = vcpus
        @processes = processes
        @native_ratio = native_ratio
        @other_cpus = other_cpus
      end

      # @return [Float] 0.0 when nothing was measured
      def self.native_ratio(windows)
        cpu_ns = windows.sum { |window| window.sums[:cpu_ns] }
        native_ns = windows.sum { |window| window.sums[:native_ns] }
        cpu_ns.positive? ? native_ns.fdiv(cpu_ns) : 0.0
      end

      def cores
        [processes * (1 + native_ratio), vcpus].min.to_f
      end

      # Share of the container that the processes reach when they have more work than they can do.
      def low = cores / vcpus

      # The same with the rest of the container.
      def high
        [(cores + [cores * OTHER_CPUS, @other_cpus].max) / vcpus, 1.0].min
      end

      def range = low..high

      def idle_vcpus = vcpus * (1 - high)

      # The lowest usual target of an autoscaler that is never reached; 1.0 at most.
      def unreachable
        ((high * TARGETS).floor + 1).fdiv(TARGETS).clamp(0.0, 1.0)
      end

      def low? = high < HIGH

      # Whether an alarm on the container's CPU share fires when all processes are saturated.
      # @return [Symbol] :fires, :never, or :unsure between the two ends of the range
      def alarm(target)
        return :fires if target < low
        (target > high) ? :never : :unsure
      end

      # Processes with which all vCPUs can be used.
      def processes_needed
        (vcpus / (1 + native_ratio)).ceil
      end

      # When to add machines: requests and jobs wait longer for a thread when capacity is used up.
      module QueueAlarm
        PERCENTILE = 0.95
        # Shorter waiting is not noticed, and occurs even with free threads.
        FELT_NS = 20_000_000
        # Multiple of the normal percentile.
        TIMES = 2

        def self.p95_ns(queued)
          queued.quantile(PERCENTILE)&.round
        end

        # Add machines when the percentile is above it.
        def self.limit_ns(p95_ns)
          [TIMES * p95_ns.to_i, FELT_NS].max
        end
      end
    end
  end
end
