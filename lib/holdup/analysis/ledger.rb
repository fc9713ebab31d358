# frozen_string_literal: true

require_relative "pairs"
require_relative "tally"

module Holdup
  module Analysis
    # All windows of a report, merged in one pass to one window per series and setting: a month of a hundred series is
    # seventy thousand windows, and everything a report shows is derived from the few hundred that remain.
    class Ledger
      Entry = Data.define(:window, :setting) do
        def series = window.series
      end

      # @return [Integer, nil] seconds since 1970 of the earliest and latest second that any unit's window covers
      attr_reader :first_s, :last_s

      # @param windows [Enumerable<Holdup::Window>]
      def initialize(windows)
        @tallies = Hash.new { |tallies, series| tallies[series] = {} }
        @stalls = Hash.new { |stalls, key| stalls[key] = Hash.new { |line, start_s| line[start_s] = [] } }
        @settings = {}
        windows.each { |window| add(window) }
      end

      # @return [Array<Entry>] one per series and setting
      def entries
        @entries ||= @tallies.flat_map do |series, by_setting|
          by_setting.map { |id, tally| Entry.new(window: tally.to_window(series), setting: @settings[id]) }
        end
      end

      # @yieldparam setting [Holdup::Setting, nil]
      # @return [Array<Array<Array<Pairs::Part>>>] who suffered and caused what, in each window of time, for each setting
      #   that the block wants and each host
      def stalls
        wanted = @stalls.select { |(id, _), _| yield @settings[id] }
        wanted.values.map { |by_start| by_start.sort.map(&:last) }
      end

      private

      def add(window)
        id = window.setting&.fingerprint
        @settings[id] ||= window.setting
        keep_stall(window, id) unless window.series.view?
        (@tallies[window.series][id] ||= Tally.new).add(window)
        widen(window) if window.series.unit? && window.start_s
      end

      def keep_stall(window, id)
        suffered, caused = window.histograms[:stalled].sum, window.sums[:caused_ns]
        return if suffered.zero? && caused.zero?
        @stalls[[id, window.host]][window.start_s] << Pairs::Part.new(window.series, suffered, caused)
      end

      def widen(window)
        @first_s = window.start_s if @first_s.nil? || window.start_s < @first_s
        @last_s = window.end_s if @last_s.nil? || window.end_s > @last_s
      end
    end
  end
end
