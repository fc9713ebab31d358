# frozen_string_literal: true

require "json"
require "zlib"
require_relative "../deflated"
require_relative "../errors"
require_relative "../quantities"
require_relative "../slowest_block"

module Holdup
  # Encodes the units of a block for a store: a version, then JSON, deflated. Times are microseconds. Parts
  # below a hundredth of the unit's time are left out: they explain nothing. The id comes last: earlier blocks
  # have none, and an earlier Holdup ignores it.
  module SlowestBlock::Codec
    VERSION = 1
    PART_SHARE = 0.01
    UNIT = %i[running_ns cpu_ns idle_ns stalled_ns longest_hold_ns gc_ns].freeze
    TIMES = %i[io_ns lock_ns sleep_ns native_ns pool_wait_ns].freeze
    private_constant :UNIT, :TIMES

    module_function

    # @return [String] binary
    def dump(block)
      rows = block.slow_units.map { |slow| row(slow, block) }
      [VERSION].pack("C") << Zlib.deflate(JSON.generate(rows))
    end

    # @param bytes [String, nil] the stored block; nil when it is new
    # @return [SlowestBlock]
    # @raise [DamagedData]
    def merge(bytes, block)
      rounded = load(dump(block), block)
      bytes ? load(bytes, block).merge(rounded) : rounded
    end

    # @param block [SlowestBlock] names series, setting, host and start
    # @return [SlowestBlock]
    # @raise [DamagedData]
    def load(bytes, block)
      version = bytes.getbyte(0)
      unless version == VERSION
        raise DamagedData.new("slowest units have version #{version.inspect}", "this Holdup reads #{VERSION}")
      end
      rows = JSON.parse(Deflated.inflate(bytes.byteslice(1..)))
      block.with(slow_units: rows.map { |row| slow_unit(row, block) })
    rescue Zlib::Error, JSON::ParserError, ArgumentError, NoMethodError, TypeError
      raise DamagedData.new("stored slowest units are damaged")
    end

    def row(slow, block)
      unit = slow.unit
      least_ns = slow.wall_ns * PART_SHARE
      parts = slow.parts.select { |part| part.ns >= least_ns }
      [
        us(unit.start_ns) - block.start_s * 1_000_000, unit.process.pid, unit.process.since_ns,
        UNIT.map { |name| us(unit.public_send(name)) }, unit.queued_ns && us(unit.queued_ns),
        unit.acquisitions, unit.in_flight_milli, unit.trace, TIMES.map { |name| us(slow.public_send(name)) },
        parts.map { |part| [part.kind, part.name, us(part.ns)] }, *slow.id
      ]
    end

    def slow_unit(row, block)
      start_us, pid, since_ns, times, queued_us, acquisitions, in_flight_milli, trace, waits, parts, id = row
      process = UnitSample::SampledProcess.new(pid:, since_ns:)
      unit = UnitSample.new(
        series: block.series, setting: block.setting, host: block.host, process:, weight: 1.0,
        start_ns: (start_us + block.start_s * 1_000_000) * US, queued_ns: queued_us && queued_us * US,
        acquisitions:, in_flight_milli:, trace:, **UNIT.zip(times.map { |us| us * US }).to_h
      )
      parts = parts.map { |kind, name, us| SlowUnit::Part.new(kind: kind.to_sym, name:, ns: us * US) }
      SlowUnit.new(unit:, parts:, id:, **TIMES.zip(waits.map { |us| us * US }).to_h)
    end

    def us(ns) = (ns + US / 2) / US
    private_class_method :row, :slow_unit, :us
  end
end
