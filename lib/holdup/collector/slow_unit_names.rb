# frozen_string_literal: true

module Holdup
  class Collector
    # Names what the list of a segment's slowest units refers to.
    class SlowUnitNames
      # No store keeps a unit for longer.
      PAST_NS = SlowestBlock::KEEP_S * NS
      FUTURE_NS = 60 * NS

      # @param slots [Array<#series, nil>] of the segment, read after the list
      # @param source [UnitSampler::SegmentSource]
      def initialize(slots, source, now_ns)
        @slots = slots
        @source = source
        @possible_ns = (now_ns - PAST_NS..now_ns + FUTURE_NS)
      end

      # @param entries [Array<Segment::SlowestEntry>]
      # @return [Array<SlowUnit>] without a host; units that can't be are left out
      def call(entries)
        entries.filter_map { |entry| slow_unit(entry) if possible?(entry) }
      end

      private

      def possible?(entry)
        unit = entry.unit
        times = Segment::Layout::SLOWEST_TIMES.map { |name| entry.public_send(name) }
        numbers = [*unit.to_h.except(:trace).values.compact, *times, *entry.parts.map(&:ns)]
        numbers.max <= Segment::Layout::MAX_NUMBER && @possible_ns.cover?(unit.start_ns + unit.wall_ns)
      end

      def slow_unit(entry)
        series = @source.series[entry.unit.series_index] or return
        unit = UnitSample.new(series:, setting: @source.setting, host: nil, process: @source.process,
          weight: 1.0, **entry.unit.to_h.except(:series_index, :wall_ns))
        times = Segment::Layout::SLOWEST_TIMES.to_h { |name| [name, entry.public_send(name)] }
        parts = entry.parts.filter_map { |part| part(part) }
        SlowUnit.new(unit:, parts:, id: id(entry), **times)
      end

      # The probe writes valid text, so anything else is damage.
      def id(entry)
        text = entry.id&.dup&.force_encoding(Encoding::UTF_8)
        text if text&.valid_encoding? && !text.match?(/[[:cntrl:]]/)
      end

      def part(part)
        return call_part(part) if part.kind == Segment::Layout::PART_CALL
        kind = Segment::Layout::PAIR_KINDS[part.kind - Segment::Layout::PART_PAIR] or return
        SlowUnit::Part.new(kind:, name: holder(part.who), ns: part.ns)
      end

      # The series of calls is named after the requests or jobs; its queue is the system.
      def call_part(part)
        system = series(part.who)&.queue
        SlowUnit::Part.new(kind: :call, name: system, ns: part.ns) if system
      end

      # @return [String, nil] nil: it had not ended
      def holder(who)
        return if who == Segment::Layout::PART_OPEN
        PairDelta::HOLDERS[who] || series(who)&.name || Series::NAMELESS.key(:unknown)
      end

      def series(number) = @slots[number - 1]&.series
    end
  end
end
