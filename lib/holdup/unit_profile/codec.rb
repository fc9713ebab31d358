# frozen_string_literal: true

require "json"
require "zlib"
require_relative "../errors"
require_relative "block"

module Holdup
  # The profiles of a block as a store keeps them, and back: a version, then deflated the names that they share and a column
  # for each number, in microseconds.
  #
  # Numbers have the form of UTF-8 (`pack "U"`), which is made in an eighth of the time of BER (`pack "w"`); where one is too
  # large for it, all are BER.
  module UnitProfile::Codec
    VERSION = 1
    US = 1000
    COLUMNS = 12
    FORMATS = ["U*", "w*"].freeze
    LARGEST = (1 << 31) - 1

    module_function

    # @param block [UnitProfile::Block]
    # @return [String] binary
    def dump(block)
      profiles = block.profiles.sort_by(&:start_ns)
      series, processes = [profiles.map(&:series), profiles.map(&:process)].map { |all| numbered(all) }
      before_us = block.start_s * 1_000_000
      rows = profiles.map { |profile| row(profile, series, processes, before_us).tap { before_us = profile.start_ns / US } }
      names = JSON.generate([series.keys.uniq.map { |one| [one.kind, one.name, one.queue] }, processes.keys.uniq.map { |one| [one.pid, one.since_ns] }])
      [VERSION].pack("C") << Zlib.deflate([names.bytesize].pack("w") << names << pack(rows.transpose.flatten), Zlib::BEST_SPEED)
    end

    # @param bytes [String]
    # @param block [UnitProfile::Block] which ones they are: setting, host and start
    # @return [UnitProfile::Block] with its profiles
    # @raise [DamagedData]
    def load(bytes, block)
      raise DamagedData.new("unit profiles have version #{bytes.getbyte(0).inspect}", "this Holdup reads #{VERSION}") unless bytes.getbyte(0) == VERSION
      names, numbers = parts(inflate(bytes.byteslice(1..)))
      block.with(profiles: profiles(numbers.each_slice([numbers.size / COLUMNS, 1].max).to_a.transpose, *named(names), block).freeze)
    rescue Zlib::Error, JSON::ParserError, ArgumentError, IndexError, NoMethodError, TypeError
      raise DamagedData.new("stored unit profiles are damaged")
    end

    # By identity, because most of them are the same object and to compare names takes longer than all the rest.
    def numbered(all)
      numbers = {}
      all.each_with_object({}.compare_by_identity) { |one, known| known[one] ||= numbers[one] ||= numbers.size }
    end

    # A start in microseconds from the one before; `queued` one more than it is, 0 for unknown.
    def row(profile, series, processes, before_us)
      running, starved, idle, stalled, longest, gc = [profile.running_ns, [profile.running_ns - profile.cpu_ns, 0].max, profile.idle_ns,
        profile.stalled_ns, profile.longest_hold_ns, profile.gc_ns].map { |ns| us(ns) }
      [profile.start_ns / US - before_us, series[profile.series], processes[profile.process], running, starved, idle, stalled,
        profile.acquisitions, longest, gc, profile.queued_ns ? us(profile.queued_ns) + 1 : 0, profile.in_flight_milli]
    end

    def us(ns) = (ns + US / 2) / US

    def pack(numbers)
      large = (numbers.max.to_i > LARGEST) ? 1 : 0
      [large].pack("C") << numbers.pack(FORMATS[large]).force_encoding(Encoding::BINARY)
    end

    # Zlib.inflate warns about what is cut short, and raises too.
    def inflate(bytes)
      stream = Zlib::Inflate.new
      stream.inflate(bytes).tap { stream.finish }
    ensure
      stream.reset
      stream.close
    end

    def parts(text)
      length = text.unpack1("w")
      from = [length].pack("w").bytesize
      at = from + length
      [JSON.parse(text.byteslice(from, length)), text.unpack(FORMATS.fetch(text.getbyte(at)), offset: at + 1)]
    end

    def named(names)
      series, processes = names
      [series.map { |kind, name, queue| Series.new(kind: kind.to_sym, name:, queue:) },
        processes.map { |pid, since_ns| UnitProfile::Process.new(pid:, since_ns:) }]
    end

    def profiles(rows, series, processes, block)
      start_us = block.start_s * 1_000_000
      rows.map { |row| profile(row, start_us += row[0], series.fetch(row[1]), processes.fetch(row[2]), block) }
    end

    def profile(row, start_us, series, process, block)
      running, starved, idle, stalled, acquisitions, longest, gc, queued, in_flight_milli = row.drop(3)
      UnitProfile.new(series:, setting: block.setting, host: block.host, process:, start_ns: start_us * US, running_ns: running * US,
        cpu_ns: (running - starved) * US, idle_ns: idle * US, stalled_ns: stalled * US, acquisitions:, longest_hold_ns: longest * US,
        gc_ns: gc * US, queued_ns: queued.zero? ? nil : (queued - 1) * US, in_flight_milli:, weight: 1.0)
    end
  end
end
