# frozen_string_literal: true

module Holdup
  module Sizing
    # The thread calculator for arriving units: mean waits at each number of threads, only for units that are
    # alike enough (OpenModel#valid?). All else needs a recording and its replay.
    class OpenCalculator
      # Times this close to the shortest count as equal: what one more thread has to bring by the usual rule.
      TIE = 0.05

      # `capacity`: units per second at most; times are nil if the queue grows without end
      WaitAtThreads = Data.define(:threads, :capacity, :utilisation, :queued_ns, :stall_ns, :response_ns) do
        # @return [Float, nil] ns from arriving to the end
        def whole_ns
          response_ns && queued_ns + response_ns
        end
      end

      attr_reader :demand, :rate, :processes, :vcpus

      # @param rate [Float] units that arrive per second, at all processes
      def initialize(demand, rate:, threads:, processes: 1, vcpus: processes)
        @demand = demand
        @rate = rate
        @threads = threads
        @processes = processes
        @vcpus = vcpus
      end

      def valid? = model(1).valid?

      def lines
        @lines ||= @threads.map { |threads| line(threads) }
      end

      # @return [WaitAtThreads, nil] the fewest threads with about the shortest response; nil: none serves the
      #   load
      def best
        stable = lines.select(&:whole_ns)
        soonest = stable.map(&:whole_ns).min
        stable.find { |line| line.whole_ns <= soonest * (1 + TIE) }
      end

      def capacity = lines.map(&:capacity).max

      private

      def model(threads)
        OpenModel.new(demand, processes:, threads:, rate:, vcpus:)
      end

      def line(threads)
        model = model(threads)
        WaitAtThreads.new(threads:, capacity: model.capacity, utilisation: model.utilisation,
          queued_ns: model.queued_ns, stall_ns: model.stall_ns, response_ns: model.response_ns)
      end
    end
  end
end
