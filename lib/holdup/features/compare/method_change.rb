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
      # @param resampling [Hash] bootstrap and widening, see StallPerUnit
      # @return [Array<MethodChange>] methods of names that both sides have, largest difference first
      def self.all(sides, blocks:, numbers:, **resampling)
        methods = sides.zip(numbers).map do |side, own|
          StallPerUnit.new(side.windows, side.method_windows, figure: :caused_ns, blocks:,
            numbers: own) do |window|
            Analysis::MethodLine.place(window).key
          end
        end
        keys = StallPerUnit.largest(methods, MethodChange::MOST)
        estimates = StallPerUnit.estimates(methods, keys, metric: MethodChange::METRIC, **resampling)
        changes = keys.zip(estimates).map do |key, estimate|
          found = methods.map { |method| method.windows(key) }
          new(line: line(found), samples: found.map { |windows| windows.sum(&:count) }, estimate:)
        end
        changes.sort_by { |change| -change.estimate.difference.abs }
      end

      # @param found [Array<Array<Window>>] by side, not all of them empty
      def self.line(found)
        places = found.reject(&:empty?).last.map { |window| Analysis::MethodLine.place(window) }
        Analysis::MethodLine.of(places)
      end
      private_class_method :line
    end

    MethodChange::METRIC = Comparison::Metric.new(name: :method_caused, unit: :ns, least: 20 * US)
    # Methods that are looked at: a bootstrap of all that a process can have takes long.
    MethodChange::MOST = 30
  end
end
