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
    end
  end
end
