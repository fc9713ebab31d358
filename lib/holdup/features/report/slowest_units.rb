# frozen_string_literal: true

module Holdup
  module Report
    # The slowest of the singly stored units in the span: a sample, so slower ones may exist.
    class SlowestUnits
      ROWS = 10
      COLUMNS = %i[started histogram_wall histogram_running histogram_stalled histogram_idle
        histogram_queued histogram_longest_hold acquisitions_each in_flight process].freeze
      TIMES = %i[wall_ns running_ns stalled_ns idle_ns queued_ns longest_hold_ns].freeze

      # @param read [SlowestUnitsReader::ReadUnits]
      def initialize(read, words:)
        @read = read
        @unit_samples = read.unit_samples
        @words = words
      end

      # @return [View::Section] without rows if none is stored: then a note says why
      def section
        return View::Section.new(title:, columns: [], rows: [], notes: [none]) if @unit_samples.empty?
        View::Section.new(title:, columns: columns.map { |key| @words.call(key) },
          rows: slowest.map { |unit| row(unit) }, notes: [note, *part])
      end

      private

      def none
        @read.part? ? @words.call(:no_singles_seen, **periods) : @words.call(:no_singles)
      end

      def part
        @read.part? ? [@words.call(:singles_part, **periods)] : []
      end

      def periods
        {read: View::Figures.count(@read.periods), all: View::Figures.count(@read.all)}
      end

      def slowest
        @slowest ||= @unit_samples.max_by(ROWS, &:wall_ns)
      end

      # The column is left out without a tracer.
      def traced? = slowest.any?(&:trace)

      def columns
        traced? ? [*COLUMNS, :trace] : COLUMNS
      end

      def title = @words.call(:slowest_units)

      def note
        first, last = [@unit_samples.first, @unit_samples.last].map { |unit| unit.start_ns / NS }
        count = View::Figures.count(@unit_samples.size)
        units = View::Figures.count(@unit_samples.sum(&:weight))
        @words.call(:singles_note, count:, units:, span: View::Figures::Moments.span(first, last))
      end

      def row(unit)
        durations = TIMES.map { |key| View::Figures.duration(unit.public_send(key)) }
        trace = unit.trace || View::Figures::NONE
        [started(unit), *durations, View::Figures.count(unit.acquisitions),
          View::Figures.rate(unit.in_flight),
          process(unit), *(trace if traced?)]
      end

      def started(unit)
        View::Blocks::Moment.new(at_s: unit.start_ns / NS, seconds: true)
      end

      def process(unit)
        pid = unit.process&.pid
        host = View::Width.clean(unit.host)
        pid ? @words.call(:process_of_host, host:, process: "pid #{pid}") : @words.call(:host, name: host)
      end
    end
  end
end
