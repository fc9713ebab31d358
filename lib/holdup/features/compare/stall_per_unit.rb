# frozen_string_literal: true

module Holdup
  module Compare
    # Parts of the stall of one side, such as what each method causes, for each request or job of a name, in
    # blocks of time.
    class StallPerUnit
      # @param sides [Array<StallPerUnit>] both
      # @param keys [Array<Array>]
      # @param metric [Comparison::Metric]
      # @param widening [Float] see BlockBootstrap::Autocorrelation
      # @return [Array<Estimate>] ns for each request or job, one for each key
      def self.estimates(sides, keys, metric:, bootstrap:, widening:)
        rounds = bootstrap.rounds do |*times|
          sides.zip(times).map { |side, drawn| keys.map { |key| side.each_ns(key, drawn) } }
        end
        keys.each_with_index.map do |key, at|
          pairs = rounds.map { |drawn| drawn.map { |side| side[at] } }
          before, after = sides.map { |side| side.each_ns(key) }
          estimate = Estimate.new(metric:, before:, after:)
          next estimate if pairs.empty? || pairs.flatten.any?(nil)
          deviation, freedom = bootstrap.deviation(pairs, ratio: estimate.relative?)
          estimate.with(deviation: deviation * widening, freedom:)
        end
      end

      # @param sides [Array<StallPerUnit>] both
      # @return [Array<Array>] keys with most stall, of names that ran on both sides
      def self.largest(sides, most)
        keys = sides.flat_map(&:keys).uniq
        known = keys.select { |key| sides.all? { |side| side.ran?(key) } }
        known.max_by(most) { |key| sides.sum { |side| side.sum_ns(key) } }
      end

      # @param units [Array<Window>] of the requests and jobs
      # @param parts [Array<Window>] with the parts
      # @param figure [Symbol] of a window: the stall that it stands for
      # @param numbers [Array<Integer>] of the blocks that count
      # @yieldparam window [Window] of the parts
      # @yieldreturn [Array] what it is a part of; it begins with the name of the requests or jobs
      def initialize(units, parts, figure:, blocks:, numbers:, &key)
        @index = numbers.each_with_index.to_h
        @blocks = blocks
        @figure = figure
        @units = by_block(units) { |window| window.series.name }
          .transform_values { |cells| cells.map { |same| same.sum(&:count) } }
        @parts = by_block(parts, &key)
      end

      def keys = @parts.keys

      # Whether requests or jobs of its name ran.
      def ran?(key)
        @units.fetch(key.first, []).sum.positive?
      end

      # @return [Array<Window>]
      def windows(key) = @parts.fetch(key, []).flatten

      def sum_ns(key) = windows(key).sum(&@figure)

      # @param times [Array<Integer>] how often each block counts
      # @return [Float, nil] for each request or job; nil without any
      def each_ns(key, times = Array.new(@index.size, 1))
        units = weighted(@units.fetch(key.first), times)
        weighted(sums(key), times).fdiv(units) if units.positive?
      end

      private

      def sums(key)
        @sums ||= {}
        @sums.fetch(key) do
          cells = @parts.fetch(key) { Array.new(@index.size, []) }
          @sums[key] = cells.map { |same| same.sum(&@figure) }
        end
      end

      def weighted(values, times)
        values.each_with_index.sum { |value, at| value * times[at] }
      end

      # @return [Hash{Object => Array<Array<Window>>}] windows of each block, by what the block says
      def by_block(windows)
        windows.group_by { |window| yield window }.transform_values do |same|
          cells = same.group_by { |window| @index[@blocks.number(window.start_s)] }
          Array.new(@index.size) { |at| cells.fetch(at, []) }
        end
      end
    end
  end
end
