# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The usual thread calculator, without a recording: the closed model and Amdahl's law, for threads of
      # one process that always have work.
      class Calculator
        # Share of the time that the GVL is held: threads beyond it only stall.
        ENOUGH = 0.9
        # Rows of a default table beyond the answers.
        BEYOND = 3
        STEPS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 100].freeze

        # `speed_up`, `amdahl`, `bound`: against one thread; `gain`, `amdahl_gain`: of the last thread
        ThreadCount = Data.define(:threads, :speed_up, :gain, :amdahl, :amdahl_gain, :bound, :utilisation,
          :stall_ns, :response_ns)

        attr_reader :demand

        # @param threads [Array<Integer>, nil] rows; nil: from one to somewhat beyond both answers
        def initialize(demand, threads: nil)
          @demand = demand
          @model = ClosedModel.new(demand)
          @threads = threads
        end

        def recommended
          @recommended ||= @model.threads_for(ENOUGH)
        end

        # Whether `recommended` keeps the GVL in use: units that are nearly all io would need more threads.
        def enough?
          @model.utilisation(recommended) >= ENOUGH
        end

        # @return [Integer] threads at which Amdahl's law and the rule of +5 % stop
        def amdahls
          Analysis::Amdahl.suggestion(@demand.idle_share)
        end

        def lines
          (@threads || default_threads).map { |threads| line(threads) }
        end

        def line(threads)
          share = @demand.idle_share
          ThreadCount.new(threads:, speed_up: @model.speed_up(threads), gain: gain(threads),
            amdahl: Analysis::Amdahl.speed_up(share, threads),
            amdahl_gain: Analysis::Amdahl.gain(share, threads),
            bound: @model.upper_bound(threads) / @model.throughput(1),
            utilisation: @model.utilisation(threads), stall_ns: @model.stall_ns(threads),
            response_ns: @model.response_ns(threads))
        end

        private

        def gain(threads)
          (threads == 1) ? 0.0 : @model.speed_up(threads) / @model.speed_up(threads - 1) - 1
        end

        def default_threads
          last = [recommended, amdahls, @model.saturation].max + BEYOND
          (STEPS.take_while { |threads| threads <= last } + [recommended, amdahls]).uniq.sort
        end
      end
    end
  end
end
