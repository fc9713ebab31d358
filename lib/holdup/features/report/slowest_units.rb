# frozen_string_literal: true

module Holdup
  module Report
    # The slowest of the singly stored units in the span, and why each was slow. Where the slowest were not
    # kept, they are those of a sample, so slower ones may exist. Each leads to its page.
    class SlowestUnits
      ROWS = 10
      # The reason stands where a phone shows it.
      COLUMNS = %i[started histogram_wall slow_because histogram_running histogram_stalled histogram_idle
        histogram_queued process].freeze
      TIMES = %i[running_ns stalled_ns idle_ns queued_ns].freeze

      # @param read [SlowestUnitsReader::ReadUnits]
      # @param captures [Array<Capture::ArchivedCapture>] of this host
      # @param named [Boolean] whether they have names of their own
      # @param rows [Integer] at most
      def initialize(read, words:, captures: [], named: false, rows: ROWS)
        @read = read
        @unit_samples = read.unit_samples
        @words = words
        @captures = captures
        @named = named
        @most = rows
      end

      # @return [View::Section] without rows if none is stored: then a note says why
      def section
        return View::Section.new(title:, columns: [], rows: [], notes: [none]) if slowest.empty?
        View::Section.new(title:, columns: columns.map { |key| column(key) },
          rows: slowest.map { |unit| row(unit) }, notes: [*note, *part])
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
        @slowest ||= [*explained.keys, *@unit_samples].max_by(@most, &:wall_ns)
      end

      def kept = @read.kept.units

      def sampled? = @unit_samples.any?

      # The column is left out without a tracer.
      def traced? = slowest.any?(&:trace)

      # Of samples, and of what older versions of Holdup kept, none is known.
      # @return [Hash{UnitSample => String}]
      def ids
        @ids ||= kept.to_h { |explained| [explained.slow.unit, explained.slow.id] }.compact.slice(*slowest)
      end

      def captured = @captured ||= slowest.to_h { |unit| [unit, CapturedUnit.find(unit, @captures)] }.compact

      def columns
        [*(:by_name if @named), *COLUMNS, *(:slow_capture if captured.any?), *(:slow_id if ids.any?),
          *(:trace if traced?)]
      end

      def column(key)
        text = @words.call(key)
        (key == :slow_because) ? View::Blocks::Column.new(text:, words: true) : text
      end

      def title = @words.call(:slowest_units)

      # @return [Hash{UnitSample => Analysis::WaitChain}] of those that are kept with what they waited for
      def explained
        @explained ||= kept.to_h { |explained| [explained.slow.unit, explained.chain] }
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
        wall = View::Figures.duration(unit.wall_ns)
        [*(label(unit.series) if @named), started(unit), wall, because(unit), *durations, process(unit),
          *(capture(unit) if captured.any?), *(id(unit) if ids.any?), *(trace if traced?)]
      end

      def label(series)
        View::Width.clean(series.queue ? "#{series.name} [#{series.queue}]" : series.name)
      end

      def started(unit)
        text = View::Blocks::Moment.new(at_s: unit.start_ns / NS, seconds: true)
        View::Blocks::Link.new(text:, page: "request", params: RequestPage.params(unit))
      end

      def because(unit)
        ChainSentence.new(@words).cause(unit, explained[unit], brief: true)
      end

      def capture(unit)
        captured[unit] ? CapturedUnit.link(captured[unit], @words) : View::Figures::NONE
      end

      def id(unit)
        ids[unit] ? View::Width.clean(ids[unit]) : View::Figures::NONE
      end

      def process(unit)
        pid = unit.process&.pid
        host = View::Width.clean(unit.host)
        pid ? @words.call(:singles_process, host:, pid:) : @words.call(:host, name: host)
      end
    end
  end
end
