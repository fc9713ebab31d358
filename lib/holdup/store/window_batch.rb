# frozen_string_literal: true

module Holdup
  module Store
    # The windows of one commit, checked and spread over the tiers that must take them.
    class WindowBatch
      # No database counts further; a larger number is damage.
      MOST = (1 << 63) - 1
      private_constant :MOST

      # @param lengths [Array<Integer>] in seconds, of the windows that are taken
      # @raise [ArgumentError] for anything but whole windows of these lengths with setting and host
      def initialize(windows, lengths: [Tier::FINEST])
        @lengths = lengths
        windows.each { |window| check(window) }
        @windows = windows
      end

      # At most one for each tier, start, series, setting and host.
      def rows(tiers)
        by_row = spread(tiers).group_by do |window|
          [window.seconds, window.start_s, window.series, window.setting, window.host]
        end
        by_row.values.map { |windows| Window.sum(windows) }
      end

      private

      def spread(tiers)
        @windows.flat_map do |window|
          taking = tiers.select { |tier| tier.seconds >= window.seconds && tier.takes?(window.start_s) }
          taking.map { |tier| window.with(start_s: tier.floor(window.start_s), seconds: tier.seconds) }
        end
      end

      def check(window)
        whole = @lengths.include?(window.seconds) && (window.start_s % window.seconds).zero?
        unless whole
          raise ArgumentError, "a store takes whole minutes, not #{window.seconds} s from #{window.start_s}"
        end
        unless window.setting && window.host
          raise ArgumentError, "a stored window has one setting and one host"
        end
        numbers = [window.count, window.errors, *window.sums.values]
        raise ArgumentError, "a stored window can't count to #{numbers.max}" if numbers.max > MOST
      end
    end
  end
end
