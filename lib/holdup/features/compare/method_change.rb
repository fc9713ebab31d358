# frozen_string_literal: true

module Holdup
  module Compare
    # The change of the stall that a method causes in each request or job of its name.
    # - `line`: MethodLine of the side after, or of the side before if it has no samples after
    # - `samples`: of both sides
    # - `estimate`: ns for each request or job
    MethodChange = Data.define(:line, :samples, :estimate) do
      # @param sides [Array<Side>] both
      # @param numbers [Array<Array<Integer>>] of the blocks that count, by side
      # @param widening [Float] see BlockBootstrap::Autocorrelation
      # @return [Array<MethodChange>] methods of names that both sides have, largest difference first
      def self.all(sides, blocks:, numbers:, bootstrap:, widening: 1.0)
        methods = sides.zip(numbers).map { |side, own| MethodChange::SideMethods.new(side, blocks:, numbers: own) }
        keys = MethodChange.largest(methods)
        rounds = bootstrap.rounds do |*times|
          methods.zip(times).map { |method, drawn| keys.map { |key| method.each_ns(key, drawn) } }
        end
        changes = keys.each_with_index.map do |key, at|
          pairs = rounds.map { |drawn| drawn.map { |side| side[at] } }
          new(line: methods.filter_map { |method| method.line(key) }.last,
            samples: methods.map { |method| method.samples(key) },
            estimate: MethodChange.estimate(methods.map { |method| method.each_ns(key) }, pairs, bootstrap,
              widening))
        end
        changes.sort_by { |change| -change.estimate.difference.abs }
      end

      # Those that caused most.
      def self.largest(methods)
        keys = methods.flat_map(&:keys).uniq
        known = keys.select { |key| methods.all? { |method| method.ran?(key) } }
        known.max_by(MethodChange::MOST) { |key| methods.sum { |method| method.caused_ns(key) } }
      end

      def self.estimate(means, pairs, bootstrap, widening)
        estimate = Estimate.new(metric: MethodChange::METRIC, before: means.first, after: means.last)
        return estimate if pairs.empty? || pairs.flatten.any?(nil)
        deviation, freedom = bootstrap.deviation(pairs, ratio: estimate.relative?)
        estimate.with(deviation: deviation * widening, freedom:)
      end
    end

    MethodChange::METRIC = Comparison::Metric.new(name: :method_caused, unit: :ns, least: 20 * US)
    # Methods that are looked at: a bootstrap of all that a process can have takes long.
    MethodChange::MOST = 30

    # The methods of one side, in blocks of time.
    class MethodChange::SideMethods
      # @param numbers [Array<Integer>] of the blocks that count
      def initialize(side, blocks:, numbers:)
        @index = numbers.each_with_index.to_h
        @blocks = blocks
        units = by_block(side.windows) { |window| window.series.name }
        @units = units.transform_values { |cells| cells.map { |same| same.sum(&:count) } }
        @places = by_block(side.method_windows) { |window| Analysis::MethodLine.place(window).key }
      end

      def keys = @places.keys

      # Whether requests or jobs of its name ran.
      def ran?(key)
        @units.fetch(key.first, []).sum.positive?
      end

      # @return [Analysis::MethodLine, nil]
      def line(key)
        places = windows(key).map { |window| Analysis::MethodLine.place(window) }
        Analysis::MethodLine.of(places) if places.any?
      end

      def samples(key) = windows(key).sum(&:count)

      def caused_ns(key) = windows(key).sum(&:caused_ns)

      # @param times [Array<Integer>] how often each block counts
      # @return [Float, nil] stall caused in each request or job; nil without any
      def each_ns(key, times = Array.new(@index.size, 1))
        units = weighted(@units.fetch(key.first), times)
        weighted(caused(key), times).fdiv(units) if units.positive?
      end

      private

      def windows(key) = @places.fetch(key, []).flatten

      def caused(key)
        @caused ||= Hash.new do |all, one|
          cells = @places.fetch(one) { Array.new(@index.size, []) }
          all[one] = cells.map { |same| same.sum(&:caused_ns) }
        end
        @caused[key]
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
