# frozen_string_literal: true

module Holdup
  class Collector
    # Draws units from the rings of all processes, to be written with the windows of the same tick. The stored
    # checkpoint has the ring's head, so each unit is offered once; units overwritten in the ring before they
    # are read are only counted.
    class UnitSampler
      # No store keeps a unit for longer.
      PAST_NS = 14 * 86_400 * NS
      FUTURE_NS = 60 * NS
      # Blocks in which units that end now may have started; a later unit gets a new reservoir.
      KEEP_S = 3 * SampleBlock::SECONDS

      # Origin of units. `process`: UnitSample::SampledProcess; `series`: Series or nil by ring index
      SegmentSource = Data.define(:process, :setting, :series)

      # @param most [Integer] how many the store keeps of a block
      def initialize(most: SampleBlock::MOST)
        @most = most
        @reservoirs = {}
      end

      # @param missed [Integer] units before the slice that the ring has lost
      def add(slice, missed, source, now_ns)
        reservoir = nil
        spans(slice, now_ns).each do |span|
          reservoir = reservoir(source.setting, span.first)
          offer(reservoir, slice, source, span)
        end
        reservoir&.miss(missed)
      end

      # Drawn since the last commit.
      def blocks(host)
        @reservoirs.reject { |_, reservoir| reservoir.seen.zero? }.map do |(start_s, setting), reservoir|
          unit_samples = reservoir.drawn.filter_map { |entry, source| unit_sample(entry, source, host) }
          SampleBlock.new(setting:, host:, start_s:, seen: reservoir.seen, unit_samples:)
        end
      end

      # The caller does this after the commit.
      def committed
        @reservoirs.each_value(&:empty)
        newest_s = @reservoirs.each_key.map(&:first).max
        @reservoirs.delete_if { |(start_s, _), _| start_s < newest_s - KEEP_S }
      end

      # The caller does this when it is unknown what the store has.
      def forget = @reservoirs.clear

      private

      # @return [Array<(Integer, Integer)>] the blocks in which its units started, without times that can't be
      def spans(slice, now_ns)
        starts = slice.starts.minmax
        return [] unless starts.any?
        first_ns = [starts.first, now_ns - PAST_NS].max
        end_ns = [starts.last, now_ns + FUTURE_NS].min + 1
        return [] unless first_ns < end_ns
        blocks_s = SampleBlock.start_of(first_ns)..SampleBlock.start_of(end_ns - 1)
        cuts = [first_ns, *blocks_s.step(SampleBlock::SECONDS).drop(1).map { |at_s| at_s * NS }, end_ns]
        cuts.each_cons(2).to_a
      end

      def reservoir(setting, start_ns)
        @reservoirs[[SampleBlock.start_of(start_ns), setting]] ||= ReservoirSampler.new(@most)
      end

      def offer(reservoir, slice, source, span)
        seen, drawn = reservoir.draw(slice, *span)
        drawn.each { |index| reservoir.offer(slice.start(index)) { [slice.entry(index), source] } }
        reservoir.miss(seen - drawn.size)
      end

      def unit_sample(entry, source, host)
        series = source.series[entry.series_index] if entry.series_index < source.series.size
        return if series.nil? || entry.to_h.except(:trace).values.compact.max > Segment::Layout::MAX_NUMBER
        UnitSample.new(
          series:, setting: source.setting, host:, process: source.process, weight: 1.0,
          **entry.to_h.except(:series_index, :wall_ns)
        )
      end
    end

    # Draws units of one block. It knows the lowest priorities drawn so far, so it can reject most units by
    # their start alone (in C with the extension). It ignores what the store has from before; the store drops
    # surplus units.
    class UnitSampler::ReservoirSampler
      # Units seen since the last `empty`.
      attr_reader :seen

      def initialize(most)
        @most = most
        @priorities = []
        @limit = SampleBlock::DrawPriority::HIGHEST
        empty
      end

      def empty
        @seen = 0
        @drawn = []
      end

      # @param count [Integer] units that are lost
      def miss(count)
        @seen += count
      end

      # Looks through a slice.
      # @return [Array(Integer, Array<Integer>)] how many units started in that time, and numbers of those
      #   that are not rejected
      def draw(slice, from_ns, to_ns)
        return SlotDumps.draw(slice.bytes, from_ns, to_ns, @limit) if defined?(SlotDumps)
        starts = slice.starts
        within = starts.each_index.select { |index| starts[index] >= from_ns && starts[index] < to_ns }
        [within.size, within.select { |index| SampleBlock::DrawPriority.of(starts[index]) <= @limit }]
      end

      # @yieldreturn [Object] the unit, requested only when it is drawn
      def offer(start_ns)
        @seen += 1
        priority = SampleBlock::DrawPriority.of(start_ns)
        return if priority > @limit
        lower_limit(priority)
        @drawn << [priority, yield]
      end

      # Drawn since the last `empty`, without units that lower priorities pushed out.
      def drawn
        @drawn.filter_map { |priority, unit| unit if priority <= @limit }
      end

      private

      def lower_limit(priority)
        position = @priorities.bsearch_index { |other| other > priority } || @priorities.size
        @priorities.insert(position, priority)
        @priorities.pop if @priorities.size > @most
        @limit = @priorities.last if @priorities.size == @most
      end
    end
  end
end
