# frozen_string_literal: true

require "json"
require "zlib"
require_relative "../sample_block"

module Holdup
  # The profiles of a block as rows of numbers, in microseconds, and the names that they share. A collector
  # adds some to a stored block at each tick: as rows that takes a third of the time and a small part of the
  # memory of objects.
  #
  # Numbers have the form of UTF-8 (`pack "U"`), which is made in an eighth of the time of BER (`pack "w"`);
  # where one is too large for it, all are BER. Columns of like numbers deflate better than rows.
  class SampleBlock::Rows
    US = 1000
    COLUMNS = 13
    # Behind the numbers of a row, for those who have one.
    TRACE = COLUMNS
    FORMATS = ["U*", "w*"].freeze
    LARGEST = (1 << 31) - 1

    # @param start_s [Integer] of the block
    def initialize(start_s, series = {}, processes = {}, rows = [])
      @start_us = start_s * 1_000_000
      @series = series
      @processes = processes
      @rows = rows
    end

    # @param text [String] from dump
    # @param columns [Integer] of them in it: older ones don't tell how a unit began
    # @return [Rows]
    # @raise [StandardError] any, when it is damaged
    def self.load(text, start_s, columns: COLUMNS)
      length = text.unpack1("w")
      at = [length].pack("w").bytesize + length
      series, processes, traces = JSON.parse(text.byteslice(at - length, length).force_encoding(Encoding::UTF_8))
      numbers = text.unpack(FORMATS.fetch(text.getbyte(at)), offset: at + 1)
      new(start_s, series.map { |kind, name, queue| Series.new(kind: kind.to_sym, name:, queue:) }.each_with_index.to_h,
        processes.map { |pid, since_ns| UnitSample::SampledProcess.new(pid:, since_ns:) }.each_with_index.to_h,
        rows_of(numbers.each_slice([numbers.size / columns, 1].max).to_a, start_s * 1_000_000, traces))
    end

    def self.rows_of(columns, start_us, traces)
      columns[0]&.map! { |after_us| start_us += after_us }
      rows = columns.transpose.each { |row| row[COLUMNS - 1] ||= 0 }
      traces&.each_with_index { |trace, index| rows[index][TRACE] = trace }
      rows
    end
    private_class_method :rows_of

    # @param profiles [Array<UnitSample>]
    # @return [self]
    def add(profiles)
      @rows.concat(profiles.map { |profile| row(profile) })
      self
    end

    # The same ones that Block#merge draws.
    # @return [self]
    def draw(most)
      lots = @rows.map { |row| SampleBlock::DrawPriority.of(row[0] * US) }
      order = Array.new(@rows.size) { |index| index }.sort_by! { |index| lots[index] }
      order = order.each_cons(2).reject { |one, other| lots[one] == lots[other] && @rows[one] == @rows[other] }.map(&:last).unshift(*order.first)
      @rows = @rows.values_at(*order.first(most))
      self
    end

    # @return [String]
    def dump
      before_us = @start_us
      rows = @rows.sort_by(&:first)
      columns = rows.map { |row| row.first(COLUMNS) }.transpose
      columns[0]&.map! { |start_us| (start_us - before_us).tap { before_us = start_us } }
      series = @series.keys.map { |one| [one.kind, one.name, one.queue] }
      processes = @processes.keys.map { |one| [one.pid, one.since_ns] }
      names = JSON.generate([series, processes, *traces(rows)]).b
      [names.bytesize].pack("w") << names << pack(columns.flatten)
    end

    # @param block [SampleBlock] of which they are
    # @return [Array<UnitSample>]
    def profiles(block)
      series = @series.keys
      processes = @processes.keys
      @rows.map { |row| profile(row, series.fetch(row[1]), processes.fetch(row[2]), block) }
    end

    private

    # Most applications have none, and then nothing of it is written.
    def traces(rows)
      all = rows.map { |row| row[TRACE] }
      [all] if all.any?
    end

    # `queued` one more than it is, 0 for unknown; the last is how it began.
    def row(profile)
      running, starved, idle, stalled, longest, gc = [profile.running_ns, [profile.running_ns - profile.cpu_ns, 0].max, profile.idle_ns,
        profile.stalled_ns, profile.longest_hold_ns, profile.gc_ns].map { |ns|
        us(ns)
      }
      [profile.start_ns / US, number(@series, profile.series), number(@processes, profile.process), running, starved, idle, stalled,
        profile.acquisitions, longest, gc, profile.queued_ns ? us(profile.queued_ns) + 1 : 0, profile.in_flight_milli, before(profile), *profile.trace]
    end

    # Even: units in flight; odd: microseconds without any; 0: unknown.
    def before(profile)
      return 0 unless profile.concurrency
      profile.concurrency.zero? ? 2 * us(profile.rest_ns) + 1 : 2 * profile.concurrency
    end

    def began(before)
      return {} if before.zero?
      before.odd? ? {concurrency: 0, rest_ns: before / 2 * US} : {concurrency: before / 2, rest_ns: 0}
    end

    def number(known, value) = known[value] ||= known.size

    def us(ns) = (ns + US / 2) / US

    def pack(numbers)
      large = (numbers.max.to_i > LARGEST) ? 1 : 0
      [large].pack("C") << numbers.pack(FORMATS[large]).force_encoding(Encoding::BINARY)
    end

    def profile(row, series, process, block)
      running, starved, idle, stalled, acquisitions, longest, gc, queued, in_flight_milli, before, trace = row.drop(3)
      UnitSample.new(series:, setting: block.setting, host: block.host, process:, start_ns: row[0] * US, running_ns: running * US,
        cpu_ns: (running - starved) * US, idle_ns: idle * US, stalled_ns: stalled * US, acquisitions:, longest_hold_ns: longest * US,
        gc_ns: gc * US, queued_ns: queued.zero? ? nil : (queued - 1) * US, in_flight_milli:, weight: 1.0, trace:, **began(before))
    end
  end
end
