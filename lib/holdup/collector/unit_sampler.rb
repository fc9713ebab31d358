# frozen_string_literal: true

module Holdup
  class Collector
    # Draws units out of the rings of all processes, to be written with the windows of the same tick. The
    # checkpoint in the store has the ring's head, so each unit is offered once; a unit that was overwritten
    # in the ring before it was read is only counted.
    class UnitSampler
      NS = 1_000_000_000
      # No unit starts later than now; no store keeps one for longer.
      PAST_NS = 14 * 86_400 * NS
      FUTURE_NS = 60 * NS
      # Blocks in which units that end now may have started; a reservoir is only a short cut, and a later unit
      # gets a new one.
      KEEP_S = 3 * SampleBlock::SECONDS

      # Where units come from. `process`: UnitSample::SampledProcess; `setting`: Setting; `series`: what an
      # index in the ring stands for, Array of Series or nil
      Source = Data.define(:process, :setting, :series)

      # @param most [Integer] how many the store keeps of a block
      def initialize(most: SampleBlock::MOST)
        @most = most
        @reservoirs = {}
      end

      # @param missed [Integer] units before it that are no longer in the ring
      def add(slice, missed, source, now_ns)
        reservoir = block_ns = nil
        slice.starts.each_with_index do |start_ns, index|
          unless block_ns && start_ns >= block_ns && start_ns < block_ns + SampleBlock::SECONDS * NS
            reservoir = reservoir(source.setting, start_ns, now_ns) or next
            block_ns = SampleBlock.start_of(start_ns) * NS
          end
          reservoir.offer(start_ns) { [slice.entry(index), source] }
        end
        reservoir&.miss(missed)
      end

      # @return [Array<SampleBlock>] what was drawn since the last commit
      def blocks(host)
        @reservoirs.reject { |_, reservoir| reservoir.seen.zero? }.map do |(start_s, setting), reservoir|
          profiles = reservoir.drawn.filter_map { |entry, source| profile(entry, source, host) }
          SampleBlock.new(setting:, host:, start_s:, seen: reservoir.seen, profiles:)
        end
      end

      # They are in the store now.
      def committed
        @reservoirs.each_value(&:empty)
        newest_s = @reservoirs.each_key.map(&:first).max
        @reservoirs.delete_if { |(start_s, _), _| start_s < newest_s - KEEP_S }
      end

      # What is in the store is unknown.
      def forget = @reservoirs.clear

      private

      def reservoir(setting, start_ns, now_ns)
        return if start_ns > now_ns + FUTURE_NS || start_ns < now_ns - PAST_NS
        @reservoirs[[SampleBlock.start_of(start_ns), setting]] ||= ReservoirSampler.new(@most)
      end

      def profile(entry, source, host)
        series = source.series[entry.series_index] if entry.series_index < source.series.size
        return if series.nil? || entry.to_h.except(:trace).values.compact.max > Segment::Layout::MAX_NUMBER
        UnitSample.new(
          series:, setting: source.setting, host:, process: source.process, weight: 1.0,
          **entry.to_h.except(:series_index, :wall_ns)
        )
      end
    end

    # The drawing of one block of unit profiles as this collector sees it: it knows the lowest priorities that
    # it has drawn so far, so the start of most units is enough to leave them out. It does not know what the
    # store has from before; what it draws too many of the store leaves out.
    class UnitSampler::ReservoirSampler
      # @return [Integer] units seen since the last `empty`
      attr_reader :seen

      # @param most [Integer] how many are kept of the block
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

      # @param count [Integer] units that were there and can't be drawn any more
      def miss(count)
        @seen += count
      end

      # @param start_ns [Integer] of a unit
      # @yieldreturn [Object] that unit, only asked for when it is drawn
      def offer(start_ns)
        @seen += 1
        priority = SampleBlock::DrawPriority.of(start_ns)
        return if priority > @limit
        lower_limit(priority)
        @drawn << [priority, yield]
      end

      # @return [Array<Object>] drawn since the last `empty`, without what lower priorities have pushed out
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
