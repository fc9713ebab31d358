# frozen_string_literal: true

module Holdup
  module Sizing
    # Deployments to try: threads up to twice what saturates a GVL, processes up to the vCPUs (half as many
    # again with one thread, since such a process is idle whenever its unit waits). For single-threaded
    # servers, enough processes to use all vCPUs, and one more each.
    class CandidateGrid
      MOST_THREADS = 32
      ALONE = 1.5
      # Numbers of processes to try. Above 8 not every one: 21 and 22 differ too little.
      STEPS = [*1..8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128].freeze
      SLICES_NS = [50_000_000, 20_000_000, 10_000_000].freeze

      # @param threaded [Boolean] whether the server can have other numbers of threads
      def initialize(demand, current:, vcpus:, threaded: true)
        @demand = demand
        @current = current
        @vcpus = vcpus
        @threaded = threaded
      end

      # @return [Array<Candidate>] including the current one
      def to_a
        threads.flat_map { |count|
          processes(count).map { |number| @current.with(threads: count, processes: number) }
        }
      end

      # The same candidates with other time slices, tried after threads and processes: Ruby 3.4 and later.
      def self.slices(settled)
        settled.product(SLICES_NS).map { |candidate, slice| candidate.with(time_slice_ns: slice) } - settled
      end

      private

      # Other pools keep their threads.
      def threads
        return [@current.threads] unless @threaded
        most = (2 * saturation + 1).clamp(1, MOST_THREADS)
        [*(1..most).map { |own| own + @current.other_threads.sum }, @current.threads].uniq.sort
      end

      def processes(threads)
        most = [most_processes(threads), 1].max
        counts = [*STEPS.select { |step| step <= most }, most]
        counts << @current.processes if threads == @current.threads || @current.processes <= most
        counts.uniq.sort
      end

      def most_processes(threads)
        return (@vcpus * (saturation + 1)).ceil unless @threaded
        (threads == 1) ? (@vcpus * ALONE).floor : @vcpus.ceil
      end

      def saturation
        ClosedModel.new(@demand).saturation
      end
    end
  end
end
