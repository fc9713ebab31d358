# frozen_string_literal: true

module Holdup
  module Sizing
    # CPUs of a host that other processes use than the measured ones: a database, a proxy or a client, which
    # work for each unit, and neighbours, which work anyway.
    #
    #   CPUs = constant + unit_ns * units per second
    #
    # - `constant`: CPUs; `unit_ns`: CPU time for each unit
    # - `mean`: CPUs while it was recorded
    OtherCpus = Data.define(:constant, :unit_ns, :mean) do
      # @param cpus [Float] whatever units come
      def self.always(cpus)
        new(constant: cpus, unit_ns: 0.0, mean: cpus)
      end

      # The line of least squares. A recording whose load hardly varies does not show it; then all of them
      # count as working for units, which for more units than recorded is the safe side.
      # @param spans [Array<OtherCpuSpan>]
      def self.of(spans)
        loaded = spans.select { |span| span.rate.positive? }
        return always(means(spans).last) if loaded.empty?
        rate, cpus = means(loaded)
        most = cpus / rate
        slope, error = slope(spans)
        each = (error && self::NORMAL * error < most / 2) ? slope.clamp(0.0, most) : most
        new(constant: cpus - each * rate, unit_ns: each * self::NS, mean: cpus)
      end

      # @return [Array<Float>] slope and its standard error; nil without any
      def self.slope(spans)
        rate, cpus = means(spans)
        square = spans.sum { |span| (span.rate - rate)**2 }
        return if spans.size < self::FEWEST || square.zero?
        slope = spans.sum { |span| (span.rate - rate) * (span.cpus - cpus) } / square
        left = spans.sum { |span| (span.cpus - cpus - slope * (span.rate - rate))**2 }
        [slope, Math.sqrt(left / (spans.size - 2) / square)]
      end

      def self.means(spans)
        %i[rate cpus].map { |name| spans.sum(0.0, &name) / [spans.size, 1].max }
      end
      private_class_method :slope, :means

      # @param intervals [Array<Analysis::ProcessReport::OtherCpuInterval>] one after the other
      # @param units [Array<UnitSample>] of the host
      # @return [Array<OtherCpuSpan>]
      def self.spans(intervals, units)
        ended = units.group_by do |unit|
          end_s = unit.end_ns / self::NS
          found = intervals.bsearch_index { |interval| end_s < interval.to_s }
          found if found && end_s >= intervals[found].from_s
        end
        intervals.each_with_index.map do |interval, index|
          weight = ended.fetch(index, []).sum(0.0, &:weight)
          self::OtherCpuSpan.new(rate: weight / (interval.to_s - interval.from_s), cpus: interval.cpus)
        end
      end

      # @param rate [Float] units per second
      # @return [Float] CPUs
      def at(rate)
        constant + unit_ns * rate / self.class::NS
      end
    end

    # Between two samples of a host. `rate`: units per second; `cpus`: of the other processes
    OtherCpus::OtherCpuSpan = Data.define(:rate, :cpus)
    OtherCpus::NS = 1_000_000_000
    # Spans from which their spread is known.
    OtherCpus::FEWEST = 4
    # The 90 % interval of a normal distribution ends so many standard deviations from its middle.
    OtherCpus::NORMAL = 1.645
    OtherCpus::NONE = OtherCpus.always(0.0)
  end
end
