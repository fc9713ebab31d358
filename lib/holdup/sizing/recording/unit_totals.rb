# frozen_string_literal: true

module Holdup
  module Sizing
    class Recording
    end

    # What units of some windows took together.
    class Recording::UnitTotals
      # @return [Integer] units
      attr_reader :count

      # @param windows [Array<Window>] of units
      def initialize(windows)
        @windows = windows
        @count = windows.sum(&:count)
        @sums = {}
      end

      # @param name [Symbol] of a sum or a histogram
      # @return [Integer]
      def [](name)
        @sums[name] ||= @windows.sum { |window|
          window.sums.fetch(name) { window.histograms.fetch(name).sum }
        }
      end

      # Waiting for a lock or a connection is congestion, which another setting has more or less of: it is no
      # part of what a unit asks for.
      # @param cost [HoldCost]
      # @param factor [Float] by which that lengthened these units, on average
      # @param rest [Hash] cv2 and between of the Demand
      # @return [Demand, nil] nil without any unit that held the GVL
      def demand(cost:, factor:, **rest)
        return unless count.positive? && self[:running].positive?
        idle_ns = self[:idle] - self[:native_ns] - self[:lock_ns] - self[:pool_wait_ns]
        Demand.new(held_ns: each(self[:running]) / factor, cpu_ns: each(self[:cpu_ns]) / factor, idle_ns: [each(idle_ns), 0.0].max,
          native_ns: each(self[:native_ns]), acquisitions: [each(self[:acquisitions]), 1.0].max, cost:, **rest)
      end

      private

      def each(sum) = sum.fdiv(count)
    end
  end
end
