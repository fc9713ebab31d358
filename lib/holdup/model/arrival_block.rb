# frozen_string_literal: true

require_relative "quantities"

module Holdup
  # When requests and jobs came in one minute, under one setting and on one host. A unit arrives when it
  # started less the time that it was queued. Where that time is not known (no X-Request-Start), its start
  # counts: while all threads are busy this is when a thread became free, not when the unit came.
  #
  # - `start_s`: a multiple of 60; `counts`: Hash of ArrivalBlock::UnitPool and ArrivalCounts
  ArrivalBlock = Data.define(:setting, :host, :start_s, :counts) do
    # Blocks with the same key are one.
    def key = [start_s, setting, host]

    # @param other [ArrivalBlock] further units with the same key
    def merge(other)
      with(counts: counts.merge(other.counts) { |_, one, another| one + another })
    end
  end

  # Who takes the units: threads for that `kind` of them (:request, :job), of that pool (see Series#pool), or
  # nil.
  ArrivalBlock::UnitPool = Data.define(:kind, :pool) do
    # @param series [Series, nil] as a segment has it
    # @return [ArrivalBlock::UnitPool, nil] nil for what is neither requests nor jobs
    def self.of(series)
      new(kind: series.kind, pool: series.pool) if series && ArrivalBlock::KINDS.include?(series.kind)
    end
  end

  ArrivalBlock::KINDS = %i[request job].freeze
  ArrivalBlock::KEEP_S = 48 * 3600

  # How many units came in each second of a minute.
  #
  # - `seconds`: 60 numbers
  # - `squares`: sum over the CELLS of a tenth of a second of the square of their numbers: says how many of
  #   the units of a second came together
  # - `stamped`: how many of them said how long they were queued
  # - `missed`: further ones, of which only the number is known
  ArrivalCounts = Data.define(:seconds, :squares, :stamped, :missed) do
    def total = seconds.sum

    def +(other)
      self.class.new(seconds: seconds.zip(other.seconds).map(&:sum), squares: squares + other.squares,
        stamped: stamped + other.stamped, missed: missed + other.missed)
    end

    # @return [Integer] pairs of units that came in the same second
    def pairs = seconds.sum { |count| count * (count - 1) / 2 }

    # @return [Numeric] those of them that came in the same tenth of it
    def close_pairs = [(squares - total) / 2, 0].max
  end

  ArrivalCounts::SECONDS = 60
  # Of a second.
  ArrivalCounts::TENTHS = 10
  ArrivalCounts::CELLS = 600
  ArrivalCounts::CELL_NS = 100_000_000
end
