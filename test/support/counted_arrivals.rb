# frozen_string_literal: true

require "holdup/model/arrival_block"

# When units came, as a collector counts them.
module CountedArrivals
  NS = 1_000_000_000

  module_function

  # @param units [Array<Holdup::UnitSample>] every unit
  # @return [Array<Holdup::ArrivalBlock>]
  def of(units)
    units.group_by { |unit| [at_ns(unit) / NS / 60 * 60, unit.setting, unit.host] }
      .map do |(start_s, setting, host), same|
        by_kind = same.group_by { |unit| Holdup::ArrivalBlock::UnitPool.of(unit.series) }
        counts = by_kind.transform_values { |own| counts(own, start_s) }
        Holdup::ArrivalBlock.new(setting:, host:, start_s:, counts:)
      end
  end

  def counts(units, start_s)
    cells = units.map { |unit| (at_ns(unit) - start_s * NS) / Holdup::ArrivalCounts::CELL_NS }.tally
    seconds = Array.new(60, 0)
    cells.each { |cell, count| seconds[cell / 10] += count }
    Holdup::ArrivalCounts.new(seconds:, squares: cells.values.sum { |count| count**2 },
      stamped: units.count(&:queued_ns), missed: 0)
  end

  def at_ns(unit) = unit.start_ns - unit.queued_ns.to_i
end
