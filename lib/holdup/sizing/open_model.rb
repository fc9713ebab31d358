# frozen_string_literal: true

module Holdup
  module Sizing
    # Arriving requests at processes with capped threads: the closed model gives how fast n requests in flight
    # are served, and a birth-death chain how often there are n.
    #
    #   mu(n) = min(sum over processes of X(n_i), v / Ccpu);  p(n) ~ product of lambda / mu(k)
    #   wait for a thread: times (1 + cv2) / 2
    #
    # Source: flow-equivalent servers (Norton), Lazowska et al., chapter 8. Within 8 to 13 % for like
    # requests. With unlike ones (cv2 above 2) it is 33 to 64 % too low: `valid?` is false, and only a replay
    # helps.
    class OpenModel
      NS = ClosedModel::NS
      MOST_VARIABLE = 2.0
      # Where the chain is cut: the probability beyond is negligible.
      SPREAD = 40
      STABLE = 0.999

      # @param rate [Float] units that arrive per second, at all processes
      def initialize(demand, processes:, threads:, rate:, vcpus:)
        @demand = demand
        @processes = processes
        @threads = threads
        @rate = rate
        @vcpus = vcpus
      end

      # @return [Float] units per second at most
      def capacity = service(@processes * @threads)

      def stable? = @rate < capacity * STABLE

      # Whether the units are alike enough for this model.
      def valid? = @demand.cv2 <= MOST_VARIABLE

      # @return [Float, nil] ns in a thread; nil if the queue grows without end
      def response_ns
        stable? ? busy * NS / @rate : nil
      end

      def stall_ns
        stable? ? [response_ns - @demand.own_ns, 0.0].max : nil
      end

      def queued_ns
        stable? ? (present - busy) * NS / @rate * (1 + @demand.cv2) / 2 : nil
      end

      # @return [Float] share of the time that each GVL is held
      def utilisation
        @rate * @demand.held_ns / NS / @processes
      end

      private

      def slots = @processes * @threads

      def service(count)
        taken = [count, slots].min
        each, more = taken.divmod(@processes)
        served = more * throughput(each + 1) + (@processes - more) * throughput(each)
        each_cpu_ns = @demand.in_flight(taken.fdiv(@processes)).cpu_ns + @demand.native_ns
        [served, @vcpus * NS.fdiv(each_cpu_ns)].min
      end

      def throughput(threads)
        return 0.0 if threads.zero?
        @throughput ||= {}
        @throughput[threads] ||= ClosedModel.new(@demand, processes: @processes).throughput(threads)
      end

      # Likelihood of n units in the system. Logarithms, because the products overflow with hundreds in
      # flight.
      def likelihoods
        @likelihoods ||= begin
          logs = [0.0]
          (1..length).each { |count| logs << logs.last + Math.log(@rate / service(count)) }
          largest = logs.max
          terms = logs.map { |log| Math.exp(log - largest) }
          total = terms.sum
          terms.map { |term| term / total }
        end
      end

      def length
        slots + (SPREAD / (1 - @rate / capacity)).ceil.clamp(SPREAD, 100_000)
      end

      def present
        @present ||= likelihoods.each_with_index.sum { |likely, count| likely * count }
      end

      def busy
        @busy ||= likelihoods.each_with_index.sum { |likely, count| likely * [count, slots].min }
      end
    end
  end
end
