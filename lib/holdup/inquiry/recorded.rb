# frozen_string_literal: true

require_relative "../analysis/comparison"
require_relative "../analysis/processes"

module Holdup
  module Inquiry
    # What a store has of a span, read once, as sides of a comparison.
    class Recorded
      # Spans longer than the first are read in windows of the second.
      WINDOWS_S = {3 * 3600 => 60, 36 * 3600 => 300, Float::INFINITY => 3600}.freeze
      # No window is shorter: each by itself, only hosts are added up, because they are compared together.
      APART_S = 60
      HISTOGRAMS = %i[wall queued stalled].freeze
      PROFILES_S = 600
      # So many stretches of ten minutes are enough single units.
      STRETCHES = 72

      # What a filter leaves out.
      Beside = Data.define(:filter) do
        def series?(series) = !(series.unit? && filter.series?(series))
      end
      private_constant :Beside

      # @param store [Stores::Sql]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param filter [Analysis::Filter]
      def initialize(store, from_s:, to_s:, filter:)
        @span = {from_s:, to_s:}
        @filter = filter
        @windows = chosen(store) + beside(store)
        @profiles = profiles(store).select { |profile| filter.series?(profile.series) }
        @samples = store.processes(from_s, to_s, **{every_s: Analysis::Processes.every_s(from_s, to_s)}.compact)
      end

      # @return [Hash{Setting => Integer}] units of the filter, in the order in which they came
      def settings
        @windows.select { |window| window.series.unit? && @filter.series?(window.series) }.sort_by(&:start_s)
          .group_by(&:setting).transform_values { |same| same.sum(&:count) }
      end

      # @param label [String]
      # @param settings [Array<Setting>, nil] nil for all
      # @return [Analysis::Comparison::Side]
      def side(label, settings = nil)
        Analysis::Comparison::Side.new(label:, windows: of(@windows, settings), profiles: of(@profiles, settings), samples: @samples, filter: @filter, **@span)
      end

      private

      def chosen(store) = windows(store, kinds: Series::UNITS, only: @filter, histograms: HISTOGRAMS)

      # What is not compared itself used the CPU.
      def beside(store) = windows(store, kinds: Series::KINDS - Series::VIEWS, only: Beside.new(@filter), histograms: [])

      def windows(store, **which) = store.sums(*@span.values, step_s: APART_S, seconds:, **which).map(&:window)

      def seconds = WINDOWS_S.find { |limit, _| @span[:to_s] - @span[:from_s] <= limit }.last

      def of(things, settings) = settings ? things.select { |thing| settings.include?(thing.setting) } : things

      def profiles(store)
        starts = (@span[:from_s]...@span[:to_s]).step(PROFILES_S).to_a
        return store.profiles(*@span.values).to_a if starts.size <= STRETCHES
        starts.each_slice((starts.size / STRETCHES.to_f).ceil).flat_map { |start_s, *| store.profiles(start_s, start_s + PROFILES_S).to_a }
      end
    end
  end
end
