# frozen_string_literal: true

module Holdup
  module Analysis
    # Amdahl's law for an io share: speed-up = 1 / ((1 - p) + p / N). It is often used to choose a number of
    # threads. Reports show it marked as wrong: it splits *one* request over N threads and has no waiting,
    # while N threads serve N requests that stall on each other.
    # Source: Amdahl, Validity of the single processor approach to achieving large scale computing
    # capabilities (1967). Articles on threads of Puma and Sidekiq have the rule of +5 %.
    module Amdahl
      THREADS = [1, 2, 3, 4, 5, 6, 8, 10, 16, 25].freeze
      # Articles add threads until one more brings less than this.
      WORTHWHILE = 0.05

      AmdahlEstimate = Data.define(:threads, :speed_up, :gain)

      module_function

      # @param share [Float] p, 0.0 .. 1.0
      def speed_up(share, threads)
        1.0 / ((1.0 - share) + share / threads)
      end

      # What the last thread added: 0.05 for 5 %.
      def gain(share, threads)
        (threads == 1) ? 0.0 : speed_up(share, threads) / speed_up(share, threads - 1) - 1.0
      end

      def table(share, threads: THREADS)
        threads.map { |n| AmdahlEstimate.new(threads: n, speed_up: speed_up(share, n), gain: gain(share, n)) }
      end

      # The number of threads at which the 5 % rule ends.
      def suggestion(share, limit: 100)
        useless = (2..limit).find { |n| gain(share, n) < WORTHWHILE }
        useless ? useless - 1 : limit
      end
    end
  end
end
