# frozen_string_literal: true

module Holdup
  class Collector
    # Time that was added to one row of a segment's table of pairs: who waited for what others held, the GVL
    # or connections of a pool, or for a lock until others ended the wait.
    #
    # - `series`: of a kind of Segment::Layout::PAIR_KINDS; `ns`
    PairDelta = Data.define(:series, :ns) do
      # @param row [Array(Integer, Integer, Integer, Integer)] of Segment::Reader#pairs
      # @param carried_ns [Integer] how much of it is stored
      # @param slots [Array<#series, nil>] of the segment
      # @return [PairDelta, nil] nil while one of the two slots was not read
      # @raise [DamagedData]
      def self.of(row, carried_ns, slots)
        waiting, holder, kind, ns = row
        kind = Segment::Layout::PAIR_KINDS[kind] or raise DamagedData.new("there is no pair of kind #{kind}")
        waited = (waiting == Segment::Layout::PAIR_UNRECORDED) ? PairDelta::UNRECORDED : name(slots, waiting)
        held = PairDelta::HOLDERS[holder] || name(slots, holder)
        return unless waited && held
        if ns < carried_ns || ns > Segment::Layout::MAX_NUMBER
          raise DamagedData.new("the time that #{waited} waited for #{held} is damaged")
        end
        new(Series.new(kind:, name: waited, queue: held), ns - carried_ns)
      end

      def self.name(slots, number)
        raise DamagedData.new("there is no series #{number}") unless number.between?(1, slots.size)
        slots[number - 1]&.series&.name
      end
      private_class_method :name
    end

    nobody, others, unknown, unrecorded = *Series::NAMELESS.keys
    PairDelta::UNRECORDED = unrecorded
    PairDelta::HOLDERS = {
      Segment::Layout::PAIR_HANDOFF => nobody,
      Segment::Layout::PAIR_OTHERS => others,
      Segment::Layout::PAIR_UNKNOWN => unknown
    }.freeze
  end
end
