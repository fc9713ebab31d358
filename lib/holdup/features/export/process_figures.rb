# frozen_string_literal: true

module Holdup
  module Export
    # Gauges and counters of processes from their samples, which the collector takes once a minute. Processes
    # with the same labels are added up, and the counters keep what ended processes had counted.
    class ProcessFigures
      # A living process is sampled every minute; without a sample for so long it is gone.
      SILENT_S = 180

      # @param since_s [Integer] from when on this counts. A process that is older was counted before by
      #   another collector, so its first sample is where its counters start
      def initialize(since_s:)
        @since_s = since_s
        @last = {}
        @totals = {}
      end

      # @param labels [Hash{Symbol => String}] of the process
      def add(sample, labels)
        key = sample.values_at(:host, :pid, :start)
        count(sample, @last[key]&.first, labels)
        sample[:ended] ? @last.delete(key) : @last[key] = [sample, labels]
        @newest_s = [@newest_s.to_i, sample[:at_s]].max
        @last.delete_if { |_, (last, _)| last[:at_s] < @newest_s - SILENT_S }
      end

      # @return [Hash{Hash => Integer}] living processes by their labels
      def processes
        @last.values.map(&:last).tally
      end

      # @param figure [ExportedFigures::ProcessFigure] a gauge
      # @return [Hash{Hash => Numeric}] by labels, without unknown ones
      def gauge(figure)
        @last.each_value.with_object({}) do |(sample, labels), sums|
          value = figure.of(sample)
          sums[labels] = sums.fetch(labels, 0) + value if value
        end
      end

      # @param name [Symbol] key of ExportedFigures::PROCESS_COUNTERS
      # @return [Hash{Hash => Numeric}] by labels
      def counter(name)
        scale = ExportedFigures::PROCESS_COUNTERS.fetch(name).scale
        sums = @totals.filter_map { |labels, totals| [labels, totals[name]] if totals.key?(name) }
        sums.to_h { |labels, sum| [labels, (scale == 1) ? sum : sum.fdiv(scale)] }
      end

      private

      def count(sample, before, labels)
        totals = @totals[labels] ||= {}
        ExportedFigures::PROCESS_COUNTERS.each do |name, figure|
          value = figure.of(sample) or next
          earlier = before ? figure.of(before) : first(sample, value)
          totals[name] = totals.fetch(name, 0) + [value - earlier.to_i, 0].max
        end
      end

      # What a process had counted before its first sample, and is left out.
      def first(sample, value)
        (sample[:since_s].to_i >= @since_s) ? 0 : value
      end
    end
  end
end
