# frozen_string_literal: true

require_relative "series"
require_relative "setting"

module Holdup
  # One unit, drawn from the ring of its process. Replays take samples as input, and samples show how units
  # depend on each other. Windows count all units but show no single one; samples show some of them.
  #
  # - `series`, `setting`, `host`; `process`: SampledProcess, in which it ran
  # - `start_ns`: since 1970; durations in ns, to the microsecond. wall = running + idle + stalled
  # - `queued_ns`: nil when unknown
  # - `in_flight_milli`: mean number of units in its process, itself included, while it ran (not while it
  #   waited), in 1/1000
  # - `trace`: id of its trace, 32 hexadecimal digits, or nil
  # - `weight`: how many units it stands for, because a block keeps only some
  # - `concurrency`: units in flight in its process at its start; `rest_ns`: how long there were none before;
  #   nil when unknown
  # - `moments`: how many of its acquisitions of the GVL were for a moment, as concluded from the sums of its
  #   series (Recording::HoldLengths); not recorded
  class UnitSample < Data.define(
    :series, :setting, :host, :process, :start_ns, :running_ns, :cpu_ns, :idle_ns, :stalled_ns, :acquisitions,
    :longest_hold_ns, :gc_ns, :queued_ns, :in_flight_milli, :weight, :concurrency, :rest_ns, :trace,
    :moments
  )
    # Faster than `initialize`, which `with` would call too, for tens of thousands of units.
    def self.new(series:, setting:, host:, process:, start_ns:, running_ns:, cpu_ns:, idle_ns:, stalled_ns:,
      acquisitions:, longest_hold_ns:, gc_ns:, queued_ns:, in_flight_milli:, weight:, concurrency: nil,
      rest_ns: nil, trace: nil, moments: 0)
      super
    end

    def wall_ns = running_ns + idle_ns + stalled_ns

    def end_ns = start_ns + wall_ns

    def in_flight = in_flight_milli / 1000.0

    # How long its process had been measured at its start.
    def age_ns = start_ns - process.since_ns
  end

  # `since_ns`: start of the measurement. Together with the pid it identifies a process permanently.
  UnitSample::SampledProcess = Data.define(:pid, :since_ns)

  # A sample of the units of one setting, host and ten minutes: at most MOST, each unit equally likely. Blocks
  # of the same ten minutes merge, in any order, into the sample of all.
  #
  # - `start_s`: a multiple of SECONDS; a unit belongs to the block in which it started
  # - `seen`: number of units that it was drawn from; `unit_samples`: Array of UnitSample
  SampleBlock = Data.define(:setting, :host, :start_s, :seen, :unit_samples) do
    def self.start_of(start_ns)
      start_ns / (self::SECONDS * 1_000_000_000) * self::SECONDS
    end

    def self.of(unit_samples)
      by_block = unit_samples.group_by do |unit_sample|
        [unit_sample.setting, unit_sample.host, start_of(unit_sample.start_ns)]
      end
      by_block.map do |(setting, host, start_s), members|
        new(setting:, host:, start_s:, seen: members.size, unit_samples: members)
      end
    end

    # Blocks with the same key are one.
    def key = [start_s, setting, host]

    # @param others [Array<SampleBlock>] with the same key
    def merge(*others, most: self.class::MOST)
      all = [self, *others]
      with(seen: all.sum(&:seen), unit_samples: lowest(all.flat_map(&:unit_samples)).first(most))
    end

    # @return [Array<UnitSample>] by start, each with its weight in this block
    def weighted
      weight = seen.fdiv([unit_samples.size, 1].max)
      all = unit_samples.map { |unit| (unit.weight == weight) ? unit : unit.with(weight:) }
      all.sort_by(&:start_ns)
    end

    # @return [UnitSpans]
    def unit_spans
      by_kind = unit_samples.group_by { |unit_sample| unit_sample.series.kind }
      spans = by_kind.transform_values do |same|
        self.class::StartsAndEnds.new(starts_ns: same.map(&:start_ns), ends_ns: same.map(&:end_ns))
      end
      since_ns = unit_samples.map { |unit_sample| unit_sample.process.since_ns }.min
      self.class::UnitSpans.new(setting:, host:, spans:, since_ns:)
    end

    private

    # The same unit has the same priority each time; two units almost never share one.
    def lowest(unit_samples)
      by_priority = unit_samples.map { |unit| [SampleBlock::DrawPriority.of(unit.start_ns), unit] }
      by_priority.sort_by!(&:first)
      by_priority.chunk_while { |one, other| one == other }.map { |same| same.first.last }
    end
  end

  # When the units of a block ran, for a tenth of the cost of a UnitSample each.
  #
  # - `spans`: kind => StartsAndEnds, of the kinds that it has
  # - `since_ns`: start of the measurement of the first of their processes; nil without units
  SampleBlock::UnitSpans = Data.define(:setting, :host, :spans, :since_ns) do
    def first_start_ns = spans.each_value.map { |units| units.starts_ns.min }.min

    def last_end_ns = spans.each_value.map { |units| units.ends_ns.max }.max
  end

  # Start and end of each unit, in ns since 1970: two lists, because a fleet has tens of thousands in ten
  # minutes.
  SampleBlock::StartsAndEnds = Data.define(:starts_ns, :ends_ns) do
    # @return [Integer, nil] the first start from then on
    def first_start_from(at_ns)
      starts_ns.select { |start_ns| start_ns >= at_ns }.min
    end

    # @return [Integer, nil] the first start of those that ended from then on
    def first_start_of_ends_from(at_ns)
      starts_ns.each_index.filter_map { |index| starts_ns[index] if ends_ns[index] >= at_ns }.min
    end

    # @return [Integer, nil] the last end of those that started before
    def last_end_of_starts_before(at_ns)
      ends_ns.each_index.filter_map { |index| ends_ns[index] if starts_ns[index] < at_ns }.max
    end
  end

  SampleBlock::SECONDS = 600
  # 5,400 an hour, enough for a replay; 22 bytes each.
  SampleBlock::MOST = 900

  # Draws the units with the lowest priority numbers. The number depends only on the start of the unit, so
  # every draw, from any part of the units and in any order, takes the same ones. Samples can be merged (the
  # lowest of two samples' lowest are the lowest of all), and a repeated unit does no harm.
  module SampleBlock::DrawPriority
    BITS = 32
    HIGHEST = (1 << BITS) - 1
    LOW = (1 << 30) - 1

    module_function

    # Small integers only, because it runs for every unit. Another `seed` draws other units.
    # @return [Integer] 0..HIGHEST, uniform
    def of(start_ns, seed = 0)
      time = start_ns / 1000 ^ seed
      mixed = (time & LOW) * 0x2c1b3c6d + (time >> 30) * 0x297a2d39
      mixed = (mixed & LOW ^ mixed >> 29) * 0x5bd1e995
      mixed = (mixed >> 31 ^ mixed & LOW) * 0x1b873593
      (mixed ^ mixed >> 28) >> 12 & HIGHEST
    end
  end
end
