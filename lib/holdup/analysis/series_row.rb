# frozen_string_literal: true

module Holdup
  module Analysis
    # One line of a report: a name with the merged window of everything it stands for, and the figures per
    # unit that every surface shows. All durations in nanoseconds. `settings`: fingerprints of those under
    # which it was measured; `queues`: those that its units were in, nil for none.
    SeriesRow = Data.define(:name, :kind, :queue, :window, :settings, :queues) do
      def initialize(name:, kind:, queue:, window:, settings: [], queues: [])
        super
      end

      # @return [Integer] units
      def count = window.count

      # @return [Integer] units that failed
      def errors = window.errors

      # @param key [Symbol] a key of Window::HISTOGRAMS
      # @return [Holdup::Histogram]
      def histogram(key) = window.histograms.fetch(key)

      # @param key [Symbol] a key of Window::SUMS
      # @return [Integer] in its unit, all units together
      def sum(key) = window.sums.fetch(key)

      # @return [StateSplit] of the elapsed time
      def split = StateSplit.of(window)

      # @return [Integer] ns, all units together
      def wall_ns = histogram(:wall).sum

      # @return [Integer] ns, all units together
      def stalled_ns = histogram(:stalled).sum

      # @return [Integer] ns for which others stalled meanwhile, all units together
      def caused_ns = sum(:caused_ns)

      # @return [Float, nil] nil when there is nothing to divide by
      def per_unit(value)
        count.zero? ? nil : value.fdiv(count)
      end

      # @return [Float, nil] stall for each time the GVL was taken
      def stall_per_acquisition
        sum(:acquisitions).zero? ? nil : stalled_ns.fdiv(sum(:acquisitions))
      end

      # @return [Float, nil] ns that the GVL was kept once it was taken
      def mean_hold
        sum(:acquisitions).zero? ? nil : histogram(:running).sum.fdiv(sum(:acquisitions))
      end

      # Long holds are met more often than short ones, by as much as they are longer.
      # @return [Float, nil] ns of the hold that somebody meets who comes at any moment
      def met_hold
        running_ns = histogram(:running).sum
        (running_ns.zero? || sum(:hold_squares_us2).zero?) ? nil : sum(:hold_squares_us2) * 1e6 / running_ns
      end

      # @return [Float, nil] of the units
      def error_share = per_unit(errors)

      # The share that perfm and most articles call "io %": everything idle (not only io) against running and
      # idle, stall left out. {StateSplit} says how much of it really was io.
      # @return [Float, nil]
      def idle_share
        busy = histogram(:running).sum + histogram(:idle).sum
        busy.zero? ? nil : histogram(:idle).sum.fdiv(busy)
      end

      # @return [Float, nil] idle and stalled against everything
      def idle_and_stall_share
        total = histogram(:running).sum + histogram(:idle).sum + stalled_ns
        total.zero? ? nil : (histogram(:idle).sum + stalled_ns).fdiv(total)
      end
    end
  end
end
