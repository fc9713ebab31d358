# frozen_string_literal: true

module Holdup
  module Analysis
    # All windows of a report, merged in one pass to one window per series and setting: a month of a hundred
    # series is seventy thousand windows, and a report needs only the few hundred that remain.
    class WindowTable
      WindowEntry = Data.define(:window, :setting) do
        def series = window.series
      end

      # The earliest and latest second that any unit's window covers.
      attr_reader :first_s, :last_s

      # @param windows [Enumerable<Holdup::Window>] as long ones as there are
      # @param by_host [Boolean] whether hosts stay apart
      def initialize(windows, by_host: false)
        @by_host = by_host
        @sums = Hash.new { |sums, series| sums[series] = {} }
        @settings = {}
        @first_used_s = {}
        windows.each { |window| add(window) }
      end

      def entries
        @entries ||= @sums.flat_map do |series, by_origin|
          by_origin.map do |(fingerprint, host), sum|
            WindowEntry.new(window: sum.to_window(series, host:), setting: @settings[fingerprint])
          end
        end
      end

      # @return [Integer] second in which the first unit ran under the setting; 0 without any
      def first_used_s(setting) = @first_used_s.fetch(setting&.fingerprint, 0)

      private

      def add(window)
        fingerprint = window.setting&.fingerprint
        @settings[fingerprint] ||= window.setting
        origin = [fingerprint, (window.host if @by_host)]
        (@sums[window.series][origin] ||= WindowSum.new).add(window)
        widen(window) if window.series.unit? && window.start_s
      end

      def widen(window)
        @first_s = window.start_s if @first_s.nil? || window.start_s < @first_s
        @last_s = window.end_s if @last_s.nil? || window.end_s > @last_s
        first_s = @first_used_s.fetch(window.setting&.fingerprint, window.start_s)
        @first_used_s[window.setting&.fingerprint] = [first_s, window.start_s].min
      end

      # Adds windows of *different* series: the total of a report, a queue, a setting.
      class WindowSum
        def initialize
          @totals = Window::Totals.new
        end

        def add(window)
          @totals.add(window)
          self
        end

        def to_window(series, host: nil)
          Window.new(start_s: nil, seconds: 0, series:, setting: nil, host:, **@totals.to_h)
        end

        def self.sum(windows, series: windows.first.series)
          windows.each_with_object(new) { |window, sum| sum.add(window) }.to_window(series)
        end

        # Takes the sums of nested units off a total. Their number stays: they are units, only their time is
        # counted twice.
        # @param nested [Holdup::Window] of kind :nested
        def self.subtract(window, nested)
          sums = window.sums.to_h { |name, value| [name, value - nested.sums[name]] }
          histograms = window.histograms.to_h do |name, histogram|
            [name, histogram.with(sum: histogram.sum - nested.histograms[name].sum)]
          end
          window.with(sums:, histograms:)
        end
      end
    end
  end
end
