# frozen_string_literal: true

require_relative "../analysis"
require_relative "charted_span"

module Holdup
  module Inquiry
    # Reads a span of the store and adds it up.
    module Summed
      module_function

      # @param store [Stores::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param by [Symbol] one of Analysis::Grouping::BY
      # @param view [Hash] filter and sort, see Analysis::Summary
      # @return [Analysis::Summary]
      def call(store, from_s:, to_s:, by: :name, **view)
        kinds = kinds(by)
        stalls = -> { store.stalls(from_s, to_s, kinds: kinds - Series::VIEWS) }
        Analysis::Summary.new(store.sums(from_s, to_s, kinds:).map(&:window), **samples(store, from_s, to_s), from_s:, to_s:, by:, stalls:, **view)
      end

      # A sample a minute and process is more than a long span needs that has data all the time, and most of what there
      # would be to read. They are of whole seconds: the last look at a process that ended just now is of the second in which the span ends.
      def samples(store, from_s, to_s)
        every_s = Analysis::Processes.every_s(from_s, to_s)
        every_s &&= Analysis::Processes.every_s(*ChartedSpan.new(store).shown(from_s, to_s))
        {samples: store.processes(from_s, to_s + 1, every_s:), every_s:}.compact
      end

      # The same units once more are read only to be shown; by pool they say which threads could have taken them.
      # @param by [Symbol] one of Analysis::Grouping::BY
      # @return [Array<Symbol>]
      def kinds(by) = Series::KINDS - (Series::VIEWS - [:pool, by])
      private_class_method :samples
    end
  end
end
