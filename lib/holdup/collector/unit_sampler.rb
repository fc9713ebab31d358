# frozen_string_literal: true

module Holdup
  class Collector
    # Draws units out of the rings of all processes, to be written with the windows of the same tick. The
    # position in the store has the ring's head, so each unit is offered once, unless the ring was written
    # over before anybody looked: then it is only counted.
    class UnitSampler
      NS = 1_000_000_000
      Block = SampleBlock
      # No unit starts later than now; no store keeps one for longer.
      PAST_NS = 14 * 86_400 * NS
      FUTURE_NS = 60 * NS
      # Blocks in which units that end now may have started; a reservoir is only a short cut, and a later unit
      # gets a new one.
      KEEP_S = 3 * Block::SECONDS

      # Where units come from. `process`: UnitSample::SampledProcess; `setting`: Setting; `series`: what an
      # index in the ring stands for, Array of Series or nil
      Source = Data.define(:process, :setting, :series)

      # @param most [Integer] how many the store keeps of a block
      def initialize(most: Block::MOST)
        @most = most
        @reservoirs = {}
      end

      # @param stretch [Segment::RingSlice]
      # @param missed [Integer] units before it that are no longer in the ring
      # @param source [Source]
      # @param now_ns [Integer]
      # @return [void]
      def add(stretch, missed, source, now_ns)
        reservoir = block_ns = nil
        stretch.starts.each_with_index do |start_ns, index|
          unless block_ns && start_ns >= block_ns && start_ns < block_ns + Block::SECONDS * NS
            reservoir = reservoir(source.setting, start_ns, now_ns) or next
            block_ns = Block.start_of(start_ns) * NS
          end
          reservoir.offer(start_ns) { [stretch.entry(index), source] }
        end
        reservoir&.miss(missed)
      end

      # @param host [String]
      # @return [Array<SampleBlock>] what was drawn since the last commit
      def blocks(host)
        @reservoirs.reject { |_, reservoir| reservoir.seen.zero? }.map do |(start_s, setting), reservoir|
          profiles = reservoir.drawn.filter_map { |entry, source| profile(entry, source, host) }
          Block.new(setting:, host:, start_s:, seen: reservoir.seen, profiles:)
        end
      end

      # They are in the store now.
      # @return [void]
      def committed
        @reservoirs.each_value(&:empty)
        newest_s = @reservoirs.each_key.map(&:first).max
        @reservoirs.delete_if { |(start_s, _), _| start_s < newest_s - KEEP_S }
      end

      # Nobody knows what is in the store.
      # @return [void]
      def forget = @reservoirs.clear

      private

      def reservoir(setting, start_ns, now_ns)
        return if start_ns > now_ns + FUTURE_NS || start_ns < now_ns - PAST_NS
        @reservoirs[[Block.start_of(start_ns), setting]] ||= ReservoirSampler.new(@most)
      end

      def profile(entry, source, host)
        series = source.series[entry.series_index] if entry.series_index < source.series.size
        return if series.nil? || entry.to_h.except(:trace).values.compact.max > Segment::Layout::MAX_NUMBER
        UnitSample.new(series:, setting: source.setting, host:, process: source.process, weight: 1.0,
**entry.to_h.except(:series_index, :wall_ns))
      end
    end
  end
end
