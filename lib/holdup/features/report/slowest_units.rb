# frozen_string_literal: true

module Holdup
  module Report
    # The slowest of the singly stored units in the span, and why each was slow. Where the slowest were not
    # kept, they are those of a sample, so slower ones may exist.
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
        return View::Section.new(title:, columns: [], rows: [], notes: [none]) if slowest.empty?
        View::Section.new(title:, columns: columns.map { |key| @words.call(key) },
          rows: slowest.map { |unit| row(unit) }, notes: [*chains, *note, *part])
      end

      private

      def none
        @read.part? ? @words.call(:no_singles_seen, **periods) : @words.call(:no_singles)
      end

      def part
        (@read.part? && sampled?) ? [@words.call(:singles_part, **periods)] : []
      end

      def periods
        {read: View::Figures.count(@read.periods), all: View::Figures.count(@read.all)}
      end

      def slowest
        @slowest ||= [*kept.map { |explained| explained.slow.unit }, *@unit_samples].max_by(ROWS, &:wall_ns)
      end

      def kept = @read.kept.units

      def sampled? = @unit_samples.any?

      # The column is left out without a tracer.
      def traced? = slowest.any?(&:trace)

      def columns
        traced? ? [*COLUMNS, :trace] : COLUMNS
      end

      def title = @words.call(:slowest_units)

      # Why each was slow, in the order of the rows.
      def chains
        shown = kept.select { |explained| slowest.include?(explained.slow.unit) }
        shown.filter_map { |explained| ChainSentence.new(@words).line(explained) }
      end

      def note
        return [@words.call(:singles_kept)] unless sampled?
        first, last = [@unit_samples.first, @unit_samples.last].map { |unit| unit.start_ns / NS }
        count = View::Figures.count(@unit_samples.size)
        units = View::Figures.count(@unit_samples.sum(&:weight))
        span = View::Figures::Moments.span(first, last)
        sample = @words.call(:singles_note, count:, units:, span:)
        return [sample] if kept.empty?
        [@words.call(:singles_kept_from, from: View::Figures::Moments.at(@read.kept.from_s)), sample]
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
