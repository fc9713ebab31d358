# frozen_string_literal: true

module Holdup
  module Queries
    # Reads when units were measured. Windows have minutes at best; single units show when the first began and
    # the last ended. Ten minutes without units are a pause. A pause counts as measured if a process lived
    # through it and took units afterwards: no unit came. Otherwise nothing was running.
    class MeasuredTimeQuery
      NS = 1_000_000_000
      BLOCK_S = SampleBlock::SECONDS
      # A unit is counted in the minute in which the collector saw it, which may be the one after its end.
      SLACK_S = 60
      # Only the longest pauses are examined.
      MOST_PAUSES = 36
      # Blocks to search for the first unit, and for the last.
      MOST_BLOCKS = 12

      # @param settings [Enumerable<Setting>, nil] nil for all
      # @return [Analysis::MeasuredTime] empty without units
      def self.call(store, from_s:, to_s:, kinds: Series::UNITS, settings: nil)
        interval = RecordedInterval.call(store, from_s:, to_s:, kinds:, settings:)
        interval ? new(store, interval, kinds, settings).call : Analysis::MeasuredTime.whole(from_s, from_s)
      end

      def initialize(store, interval, kinds, settings)
        @store = store
        @interval = interval
        @kinds = kinds
        @settings = settings
        @blocks = {}
      end

      def call
        read(first_blocks.first(ahead? ? 2 : 1) | last_blocks.first(1))
        first_s = first_start
        last_s = last_end
        from_s = first_s || @interval.from_s
        to_s = last_s || @interval.to_s
        whole = Analysis::MeasuredTime.whole(from_s, to_s, exact: !first_s.nil? && !last_s.nil?)
        pauses(from_s, to_s).reduce(whole) { |coverage, pause| coverage.without(*pause) }
      end

      private

      # @return [Float, nil] nil when no unit of the first windows is kept
      def first_start
        from_s = @interval.from_s
        found = search(first_blocks) do |units|
          next units.first_start_from(from_s * NS) unless ahead?
          units.first_start_of_ends_from((from_s - SLACK_S) * NS)
        end
        at_s = found&.min&.fdiv(NS)
        at_s if at_s && at_s < from_s + 2 * @store.finest_s(from_s)
      end

      # Whether the first units may have begun before the first windows: no others did.
      def ahead?
        return @ahead if defined?(@ahead)
        from_s = @interval.from_s
        @ahead = alone?(from_s - @store.finest_s(from_s), from_s)
      end

      def first_blocks
        from_s = @interval.from_s
        starts(ahead? ? from_s - BLOCK_S : from_s, @interval.to_s)
      end

      # @return [Float, nil] nil when no unit of the last windows is kept
      def last_end
        to_s = @interval.to_s
        found = search(last_blocks) { |units| units.last_end_of_starts_before(latest_s * NS) }
        at_s = found&.max&.fdiv(NS)
        [at_s, latest_s].min if at_s && at_s > to_s - 2 * @store.finest_s(to_s - 1)
      end

      # Until when units count that are counted in the last windows.
      def latest_s
        to_s = @interval.to_s
        @latest_s ||= alone?(to_s, to_s + @store.finest_s(to_s - 1)) ? to_s + SLACK_S : to_s
      end

      def last_blocks
        starts(@interval.from_s - BLOCK_S, latest_s).reverse
      end

      # Whether no such unit is counted there; units at its edge are counted in the neighbouring windows.
      def alone?(from_s, to_s)
        RecordedInterval.call(@store, from_s:, to_s:, kinds: @kinds, settings: @settings).nil?
      end

      # Of the ten-minute blocks in that span.
      def starts(from_s, to_s)
        @starts ||= @store.profile_starts(@interval.from_s - BLOCK_S, @interval.to_s + SLACK_S)
        @starts.select { |start_s| start_s > from_s - BLOCK_S && start_s < to_s }
      end

      # @yieldparam units [SampleBlock::StartsAndEnds]
      # @yieldreturn [Integer, nil]
      # @return [Array<Integer>, nil] what the first ten minutes have that have any
      def search(starts, &time)
        starts.first(MOST_BLOCKS).each do |start_s|
          found = wanted(block(start_s)).filter_map(&time)
          return found if found.any?
        end
        nil
      end

      def wanted(block)
        block = block.select { |origin| @settings.include?(origin.setting) } if @settings
        block.flat_map { |origin| origin.spans.values_at(*@kinds).compact }
      end

      # @return [Array<SampleBlock::UnitSpans>] of any kind and setting, which have units
      def block(start_s)
        read([start_s])
        @blocks[start_s]
      end

      # Together, because a question for each takes longer than what it reads.
      def read(starts)
        missing = starts - @blocks.keys
        return if missing.empty?
        found = @store.unit_spans(missing)
        missing.each { |start_s| @blocks[start_s] = found.fetch(start_s, []).select(&:since_ns) }
      end

      # Spans in which nothing was running. With the filter of one application, a block may have units of
      # other applications only: then a pause is unknown.
      # @return [Array<(Float, Float)>] from and to
      def pauses(from_s, to_s)
        gaps = starts(from_s, to_s).each_cons(2).select { |one, other| other - one > BLOCK_S }
        longest = gaps.max_by(MOST_PAUSES) { |one, other| other - one }
        around = longest.map do |starts|
          read(starts)
          @blocks.values_at(*starts)
        end
        known = around.reject { |before, after| before.empty? || after.empty? }
        known.map { |before, after| pause(before, after) }
      end

      def pause(before, after)
        ended_ns = before.map(&:last_end_ns).max
        began_ns = after.map { |origin| [origin.since_ns, origin.first_start_ns].min }.min
        [ended_ns.fdiv(NS), began_ns.fdiv(NS)]
      end
    end
  end
end
