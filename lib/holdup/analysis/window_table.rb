# frozen_string_literal: true

module Holdup
  module Analysis
    # All windows of a report, merged in one pass to one window per series and setting: a month of a hundred
    # series is seventy thousand windows, and everything a report shows is derived from the few hundred that
    # remain.
    class WindowTable
      WindowEntry = Data.define(:window, :setting) do
        # @return [Series]
        def series = window.series
      end

      # @return [Integer, nil] seconds since 1970 of the earliest and latest second that any unit's window
      #   covers
      attr_reader :first_s, :last_s

      # @param windows [Enumerable<Holdup::Window>] as long ones as there are
      # @param stalls [#call, nil] what the short ones say of stall: an Enumerable of what answers as a window
      #   does (Store::WindowStall), read when it is asked for. nil: these are the short ones
      def initialize(windows, stalls: nil)
        @tallies = Hash.new { |tallies, series| tallies[series] = {} }
        @settings = {}
        windows = windows.to_a
        windows.each { |window| add(window) }
        @read_stalls = stalls || -> { windows }
      end

      # @return [Array<WindowEntry>] one per series and setting
      def entries
        @entries ||= @tallies.flat_map do |series, by_setting|
          by_setting.map { |id, tally|
            WindowEntry.new(window: tally.to_window(series), setting: @settings[id])
          }
        end
      end

      # @yieldparam setting [Holdup::Setting, nil]
      # @return [Array<Array<Array<StallPairs::StallPart>>>] who suffered and caused what, in each window of
      #   time, for each setting that the block wants and each host
      def stalls
        wanted = all_stalls.select { |(id, _), _| yield @settings[id] }
        wanted.values.map { |by_start| by_start.sort.map(&:last) }
      end

      private

      def add(window)
        id = window.setting&.fingerprint
        @settings[id] ||= window.setting
        (@tallies[window.series][id] ||= WindowSum.new).add(window)
        widen(window) if window.series.unit? && window.start_s
      end

      def all_stalls
        @all_stalls ||= @read_stalls.call.each_with_object(Hash.new { |all, key|
          all[key] =
            Hash.new { |line, start_s|
              line[start_s] = []
            }
        }) do |stall, all|
          next if stall.series.view? || (stall.stalled_ns.zero? && stall.caused_ns.zero?)
          all[[stall.setting&.fingerprint,
            stall.host]][stall.start_s] << StallPairs::StallPart.new(stall.series, stall.stalled_ns,
              stall.caused_ns)
        end
      end

      def widen(window)
        @first_s = window.start_s if @first_s.nil? || window.start_s < @first_s
        @last_s = window.end_s if @last_s.nil? || window.end_s > @last_s
      end

      # Adds windows of *different* series up (a window merges with its own kind only): the total of a report,
      # a queue, a setting. Mutable inside, frozen windows come out.
      class WindowSum
        def initialize
          @totals = Window::Totals.new
        end

        # @param window [Holdup::Window]
        # @return [self]
        def add(window)
          @totals.add(window)
          self
        end

        # @param series [Holdup::Series] what the sum is called
        # @return [Holdup::Window]
        def to_window(series)
          Window.new(start_s: nil, seconds: 0, series:, setting: nil, host: nil, **@totals.to_h)
        end

        # @param windows [Array<Holdup::Window>]
        # @param series [Holdup::Series] what the sum is called
        # @return [Holdup::Window]
        def self.sum(windows, series: windows.first.series)
          windows.each_with_object(new) { |window, tally| tally.add(window) }.to_window(series)
        end

        # Takes the sums of nested units off a total. Their number stays: they are units, only their time is
        # in twice.
        # @param window [Holdup::Window] the total
        # @param nested [Holdup::Window] of kind :nested
        # @return [Holdup::Window]
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
