# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The thread calculator for arriving units: mean waits at each number of threads, only for units that
      # are alike enough (OpenModel#valid?). All else needs a recording and its replay.
      class OpenCalculator
        # Times this close to the shortest count as equal: what one more thread has to bring by the usual
        # rule.
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

        # @return [WaitAtThreads, nil] the fewest threads with about the shortest response; nil: none serves
        #   the load
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

      # Arriving requests at processes with capped threads: the closed model gives how fast n requests in
      # flight are served, and a birth-death chain how often there are n.
      #
      #   mu(n) = min(sum over processes of X(n_i), v / Ccpu);  p(n) ~ product of lambda / mu(k)
      #   wait for a thread: times (1 + cv2) / 2
      #
      # Source: flow-equivalent servers (Norton), Lazowska et al., chapter 8. Within 8 to 13 % for like
      # requests. With unlike ones (cv2 above 2) it is 33 to 64 % too low: `valid?` is false, and only a
      # replay helps.
      class OpenCalculator::OpenModel
        MOST_VARIABLE = 2.0
        # The chain is cut here: the probability beyond is negligible.
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

        # A thread that is alone in its process waits for a CPU at most.
        def stall_ns
          return unless stable?
          (@threads == 1) ? 0.0 : [response_ns - @demand.own_ns, 0.0].max
        end

        def queued_ns
          stable? ? [present - busy, 0.0].max * NS / @rate * (1 + @demand.cv2) / 2 : nil
        end

        # @return [Float] share of the time for which these units need each GVL, all of it at most
        def utilisation
          [@rate * @demand.held_ns / NS / @processes, 1.0].min
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
end
