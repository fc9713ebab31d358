# frozen_string_literal: true

require_relative "../../model/histogram"
require_relative "../../segment/layout"

module Holdup
  class StatsLog
    # All units of this process since it started, as one distribution. Units inside units are units, but their
    # time is in twice, so it is taken off the sums.
    #
    # - `units`, `errors`: how many; `sums`: {Symbol => Integer} nanoseconds of wall, running, stalled, idle
    # - `histograms`: {Symbol => Histogram} of wall, stalled, queued
    ProcessTotals = Data.define(:units, :errors, :sums, :histograms) do
      # @param reader [Segment::Reader]
      # @return [ProcessTotals]
      def self.of(reader)
        slots = slots(reader)
        nested = slots.find { |slot| slot.series.kind == :nested }
        slots = slots.select { |slot| ProcessTotals::KINDS.include?(slot.series.kind) }
        new(units: slots.sum(&:count), errors: slots.sum(&:errors), sums: ProcessTotals::PARTS.to_h { |name| [name, sum(slots, name) - sum([nested].compact, name)] },
          histograms: ProcessTotals::DISTRIBUTIONS.to_h { |name| [name, Histogram.sum(slots.map { |slot| cells(slot, name).to_histogram })] })
      end

      # @return [ProcessTotals] of a process that has done nothing yet
      def self.none
        new(units: 0, errors: 0, sums: ProcessTotals::PARTS.to_h { |name| [name, 0] },
          histograms: ProcessTotals::DISTRIBUTIONS.to_h { |name| [name, Histogram.empty] })
      end

      # Every few milliseconds others get the GVL, but not more often: each time it may take a second to get
      # it back.
      def self.slots(reader)
        count = reader.header.series_count
        at_once = [count / ProcessTotals::TURNS, ProcessTotals::FEWEST].max
        Array.new(count) do |index|
          Thread.pass if index.positive? && (index % at_once).zero?
          reader.slot(index)
        end.compact
      end

      def self.cells(slot, name)
        slot.histograms[Segment::Layout::HISTOGRAMS.index(name)]
      end

      def self.sum(slots, name)
        slots.sum { |slot| cells(slot, name).sum }
      end
      private_class_method :slots, :cells, :sum

      # @param earlier [ProcessTotals] of the same process
      # @return [ProcessTotals] what was added since
      def -(other)
        with(units: units - other.units, errors: errors - other.errors, sums: sums.merge(other.sums) { |_, now, before| now - before },
          histograms: histograms.merge(other.histograms) { |_, now, before| now - before })
      end

      # @return [Float, nil] of the units' time
      def share(part)
        sums[part].fdiv(sums[:wall]) if sums[:wall].positive?
      end

      # @return [Integer, nil] nanoseconds
      def quantile(name, q) = histograms[name].quantile(q)
    end

    ProcessTotals::TURNS = 8
    ProcessTotals::FEWEST = 128
    ProcessTotals::KINDS = %i[request job overflow].freeze
    ProcessTotals::PARTS = %i[wall running stalled idle].freeze
    ProcessTotals::DISTRIBUTIONS = %i[wall stalled queued].freeze
  end
end
