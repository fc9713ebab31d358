# frozen_string_literal: true

require "json"
require "zlib"
require_relative "../deflated"
require_relative "../errors"
require_relative "../sample_block"
require_relative "../quantities"

module Holdup
  # Encodes the unit samples of a block for a store: a version, then Rows, deflated. 22 bytes a unit.
  module SampleBlock::Codec
    VERSION = 1

    module_function

    def dump(block)
      deflate(Rows.new(block.start_s).add(block.unit_samples))
    end

    # @param bytes [String, nil] the stored block; nil when it is new
    # @param block [SampleBlock] units to add
    # @raise [DamagedData]
    def merge(bytes, block, most: SampleBlock::MOST)
      rows = bytes ? read_rows(bytes, block.start_s) : Rows.new(block.start_s)
      deflate(rows.add(block.unit_samples).draw(most))
    end

    # @param block [SampleBlock] names setting, host and start
    # @param weighted [Boolean] whether each unit has its weight in the block, not 1
    # @param most [Integer] how many units, drawn as by SampleBlock#merge
    # @raise [DamagedData]
    def load(bytes, block, weighted: false, most: SampleBlock::MOST)
      rows = read_rows(bytes, block.start_s)
      checked { block.with(unit_samples: rows.limit(most).unit_samples(block, weighted:).freeze) }
    end

    # @param block [SampleBlock] names setting, host and start
    # @return [SampleBlock::UnitSpans]
    # @raise [DamagedData]
    def load_spans(bytes, block)
      read(bytes) { |text| Rows.unit_spans(text, block) }
    end

    def deflate(rows)
      [VERSION].pack("C") << Zlib.deflate(rows.dump, Zlib::BEST_SPEED)
    end

    def read_rows(bytes, start_s)
      read(bytes) { |text| Rows.load(text, start_s) }
    end

    def read(bytes)
      version = bytes.getbyte(0)
      unless version == VERSION
        raise DamagedData.new("unit samples have version #{version.inspect}", "this Holdup reads #{VERSION}")
      end
      checked { yield Deflated.inflate(bytes.byteslice(1..)) }
    end

    def checked
      yield
    rescue Zlib::Error, JSON::ParserError, ArgumentError, IndexError, NoMethodError, TypeError
      raise DamagedData.new("stored unit samples are damaged")
    end
    private_class_method :deflate, :read_rows, :read, :checked

    # Unit samples of a block as rows of numbers (microseconds) and the names that they share. A collector
    # adds some to a stored block at each tick; rows take a third of the time of objects, and little memory.
    #
    # Numbers have the form of UTF-8 (`pack "U"`), eight times faster to make than BER (`pack "w"`); when one
    # is too large for it, all are BER. Columns of similar numbers deflate better than rows.
    class Rows
      # `start` in microseconds since 1970 (stored as the difference to the row before); `series` and
      # `process` are indexes of names; `queued` is one more than measured (0: unknown); `beginning`: see
      # Rows#beginning.
      COLUMNS = %i[
        start series process running starved idle stalled acquisitions longest_hold gc queued in_flight_milli
        beginning
      ].freeze
      START, SERIES, PROCESS, RUNNING, IDLE, STALLED =
        %i[start series process running idle stalled].map { |name| COLUMNS.index(name) }
      # Index of the trace, in rows that have one.
      TRACE = COLUMNS.size
      FORMATS = ["U*", "w*"].freeze
      LARGEST = (1 << 31) - 1

      # @param series [Hash{Series => Integer}] the index of each
      def initialize(start_s, series = {}, processes = {}, rows = [])
        @start_us = start_s * 1_000_000
        @series = series
        @processes = processes
        @rows = rows
      end

      # @raise [StandardError] any, when the text is damaged
      def self.load(text, start_s)
        (series, processes, traces), numbers, count = parts(text)
        columns = numbers.each_slice([count, 1].max).to_a
        columns[START] = starts(columns[START], start_s) if count.positive?
        rows = columns.transpose
        traces&.each_with_index { |trace, index| rows[index][TRACE] = trace }
        new(start_s, indexed_series(series), indexed_processes(processes), rows)
      end

      # Makes no row of a unit, because most of the time of reading is spent on these.
      # @param block [SampleBlock] names setting, host and start
      # @return [SampleBlock::UnitSpans]
      # @raise [StandardError] any, when the text is damaged
      def self.unit_spans(text, block)
        (series, processes), numbers, count = parts(text)
        starts, indexes, own, running, idle, stalled =
          [START, SERIES, PROCESS, RUNNING, IDLE, STALLED].map { |column| numbers[column * count, count] }
        kinds = series.map { |kind, *| kind.to_sym }
        spans = kinds.to_h { |kind| [kind, SampleBlock::StartsAndEnds.new(starts_ns: [], ends_ns: [])] }
        units = spans.values_at(*kinds)
        starts(starts, block.start_s).each_with_index do |start, index|
          times = units.fetch(indexes[index])
          times.starts_ns << start * US
          times.ends_ns << (start + running[index] + idle[index] + stalled[index]) * US
        end
        since_ns = own.uniq.map { |index| processes.fetch(index).last }.min
        SampleBlock::UnitSpans.new(setting: block.setting, host: block.host, since_ns:,
          spans: spans.reject { |_, times| times.starts_ns.empty? })
      end

      # @return [(Array, Array<Integer>, Integer)] names (series, processes, perhaps traces), the numbers of
      #   all columns, and how many a column has
      def self.parts(text)
        length = text.unpack1("w")
        at = [length].pack("w").bytesize + length
        names = JSON.parse(text.byteslice(at - length, length).force_encoding(Encoding::UTF_8))
        numbers = text.unpack(FORMATS.fetch(text.getbyte(at)), offset: at + 1)
        count, rest = numbers.size.divmod(COLUMNS.size)
        raise ArgumentError, "a column is missing" unless rest.zero?
        [names, numbers, count]
      end

      # @param differences [Array<Integer>] in microseconds
      # @return [Array<Integer>] since 1970
      def self.starts(differences, start_s)
        start_us = start_s * 1_000_000
        differences.map { |after_us| start_us += after_us }
      end

      def self.indexed_series(series)
        read = series.map { |kind, name, queue| Series.new(kind: kind.to_sym, name:, queue:) }
        read.each_with_index.to_h
      end

      def self.indexed_processes(processes)
        read = processes.map { |pid, since_ns| UnitSample::SampledProcess.new(pid:, since_ns:) }
        read.each_with_index.to_h
      end

      private_class_method :parts, :starts, :indexed_series, :indexed_processes

      def add(unit_samples)
        @rows.concat(unit_samples.map { |unit_sample| row(unit_sample) })
        self
      end

      def limit(most)
        (@rows.size > most) ? draw(most) : self
      end

      # Keeps the same units as SampleBlock#merge.
      def draw(most)
        priorities = @rows.map { |row| SampleBlock::DrawPriority.of(row[START] * US) }
        order = Array.new(@rows.size) { |index| index }.sort_by! { |index| priorities[index] }
        distinct = order.each_cons(2).reject do |one, other|
          priorities[one] == priorities[other] && @rows[one] == @rows[other]
        end
        drawn = [*order.first, *distinct.map(&:last)].first(most)
        @rows = @rows.values_at(*drawn)
        self
      end

      def dump
        rows = @rows.sort_by { |row| row[START] }
        columns = rows.map { |row| (row.size > COLUMNS.size) ? row.first(COLUMNS.size) : row }.transpose
        columns[START] = differences(columns[START]) if columns.any?
        names = JSON.generate(names_of(rows)).b
        [names.bytesize].pack("w") << names << pack(columns.flatten)
      end

      def unit_samples(block, weighted:)
        series = @series.keys
        processes = @processes.keys
        weight = weighted ? block.seen.fdiv([@rows.size, 1].max) : 1.0
        @rows.map do |row|
          unit_sample(row, series.fetch(row[SERIES]), processes.fetch(row[PROCESS]), block, weight)
        end
      end

      private

      def differences(starts)
        before_us = @start_us
        starts.map do |start_us|
          difference = start_us - before_us
          before_us = start_us
          difference
        end
      end

      # Most applications have no traces; nothing is written for them then.
      def names_of(rows)
        series = @series.keys.map { |one| [one.kind, one.name, one.queue] }
        processes = @processes.keys.map { |one| [one.pid, one.since_ns] }
        traces = rows.map { |row| row[TRACE] }
        traces.any? ? [series, processes, traces] : [series, processes]
      end

      def row(unit)
        starved_ns = [unit.running_ns - unit.cpu_ns, 0].max
        [
          unit.start_ns / US, index_of(@series, unit.series), index_of(@processes, unit.process),
          us(unit.running_ns), us(starved_ns), us(unit.idle_ns), us(unit.stalled_ns),
          unit.acquisitions, us(unit.longest_hold_ns), us(unit.gc_ns),
          unit.queued_ns ? us(unit.queued_ns) + 1 : 0, unit.in_flight_milli, beginning(unit),
          *unit.trace
        ]
      end

      # Even: units in flight; odd: microseconds without units; 0: unknown.
      def beginning(unit)
        return 0 unless unit.concurrency
        unit.concurrency.zero? ? 2 * us(unit.rest_ns) + 1 : 2 * unit.concurrency
      end

      # Units in flight.
      def concurrency(beginning)
        return if beginning.zero?
        beginning.odd? ? 0 : beginning / 2
      end

      def rest_ns(beginning)
        return if beginning.zero?
        beginning.odd? ? beginning / 2 * US : 0
      end

      def index_of(known, value) = known[value] ||= known.size

      def us(ns) = (ns + US / 2) / US

      def pack(numbers)
        format = (numbers.max.to_i > LARGEST) ? 1 : 0
        [format].pack("C") << numbers.pack(FORMATS[format]).force_encoding(Encoding::BINARY)
      end

      # Names each keyword, because `**` of a Hash would take half of the time.
      def unit_sample(row, series, process, block, weight)
        start, _, _, running, starved, idle, stalled, acquisitions, longest_hold, gc, queued,
          in_flight_milli, beginning, trace = row
        UnitSample.new(
          setting: block.setting, host: block.host, series:, process:, weight:, start_ns: start * US,
          running_ns: running * US, cpu_ns: (running - starved) * US, idle_ns: idle * US,
          stalled_ns: stalled * US, acquisitions:, longest_hold_ns: longest_hold * US, gc_ns: gc * US,
          queued_ns: queued.zero? ? nil : (queued - 1) * US, in_flight_milli:, trace:,
          concurrency: concurrency(beginning), rest_ns: rest_ns(beginning)
        )
      end
    end
  end
end
