# frozen_string_literal: true

require_relative "quantities"
require_relative "sample_block"
require_relative "unit_numbers"

module Holdup
  # One of the slowest units of its series and minute, with what it waited for.
  #
  # - `unit`: UnitSample, of weight 1
  # - `io_ns` to `native_ns`: its idle time, by what it was for
  # - `pool_wait_ns`: the part of it in which it waited for a database connection
  # - `parts`: Array of SlowUnit::Part, the longest of each kind first
  # - `id`: of the request or job, to find it in logs; nil: none is known
  SlowUnit = Data.define(:unit, :io_ns, :lock_ns, :sleep_ns, :native_ns, :pool_wait_ns, :parts, :id) do
    def initialize(id: nil, **) = super

    # Of the same minute and series: which of two units is the slower one, in the same order everywhere.
    def order = [-wall_ns, unit.start_ns, unit.host, unit.process.pid]

    def wall_ns = unit.wall_ns

    def end_ns = unit.end_ns

    # @param kind [Symbol] of SlowUnit::Part
    # @return [Array<SlowUnit::Part>] longest first
    def parts_of(kind) = parts.select { |part| part.kind == kind }
  end

  # What a unit waited for longest.
  #
  # - `kind`: a kind of series: `:pair` (others held the GVL), `:pool_pair` (others held connections), or
  #   `:call` (calls to another system). Pairs of further kinds may come
  # - `name`: of the holder's series, or of the system; nil: a holder that had not ended yet; or a key of
  #   Series::NAMELESS
  SlowUnit::Part = Data.define(:kind, :name, :ns)

  # The slowest units of one series, setting and host that ended in one minute: at most
  # UnitNumbers::SLOWEST_EACH. Blocks of the same minute merge, in any order, into the slowest of all, and a
  # unit that comes twice is there once.
  #
  # - `start_s`: of the minute; `slow_units`: Array of SlowUnit, slowest first
  SlowestBlock = Data.define(:series, :setting, :host, :start_s, :slow_units) do
    # @param slow_units [Array<SlowUnit>]
    # @return [Array<SlowestBlock>]
    def self.of(slow_units)
      by_block = slow_units.group_by do |slow|
        unit = slow.unit
        [unit.series, unit.setting, unit.host, slow.end_ns / NS / MINUTE_S * MINUTE_S]
      end
      by_block.map do |(series, setting, host, start_s), members|
        new(series:, setting:, host:, start_s:, slow_units: slowest(members))
      end
    end

    def self.slowest(slow_units)
      distinct = slow_units.uniq { |slow| [slow.unit.start_ns, slow.unit.process, slow.wall_ns] }
      distinct.min_by(UnitNumbers::SLOWEST_EACH, &:order)
    end

    # Blocks with the same key are one.
    def key = [start_s, series, setting, host]

    # @param other [SlowestBlock] with the same key
    def merge(other)
      with(slow_units: self.class.slowest(slow_units + other.slow_units))
    end

    def slowest_ns = slow_units.first.wall_ns
  end
  # No store keeps them for longer.
  SlowestBlock::KEEP_S = 48 * 3600
end
