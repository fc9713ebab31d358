# frozen_string_literal: true

module Holdup
  module Queries
    # Reads when units were measured. Windows have minutes at best; single units show when the first began and
    # the last ended. Ten minutes without units are a pause. A pause counts as measured if a process lived
    # through it and took units afterwards: no unit came. Otherwise nothing was running.
    class MeasuredTimeQuery
      BLOCK_S = SampleBlock::SECONDS
      # A unit is counted in the minute in which the collector saw it, which may be the one after its end.
      SLACK_S = 60
      # Only the longest pauses are examined.
      MOST_PAUSES = 36
      # Blocks that are read where windows are longer than they are.
      MOST_READ = 72
      # Pauses of a part of longer spans are read from windows of hours.
      LONG_S = 36 * 3600
      # Blocks to search for the first unit, and for the last.
      MOST_BLOCKS = 12

      # @param settings [Enumerable<Setting>, nil] nil for all
      # @return [Analysis::MeasuredTime] empty without units
      def self.call(store, from_s:, to_s:, kinds: Series::UNITS, settings: nil)
        of(StoredWindows.new(store, kinds, settings), from_s, to_s, kinds:, settings:)
      end

      # @param windows [StoredWindows, Fleet::MeasuredPartsReader::PartWindows]
      # @return [Analysis::MeasuredTime] empty without units
      def self.of(windows, from_s, to_s, kinds:, settings: nil)
        interval = windows.interval(from_s, to_s)
        interval ? new(windows, interval, kinds, settings).call : Analysis::MeasuredTime.whole(from_s, from_s)
      end

      # The last seconds before `to_s`, for the present load: those without units count too, but not the time
      # before the first unit. Its units are those of the windows of a minute from its `from_s` on.
      # @param since_s [Integer] a unit since then shows that it was measured already
      # @return [Analysis::MeasuredTime] empty without units
      def self.lately(store, to_s:, length_s:, since_s:, kinds:, settings: nil)
        windows = StoredWindows.new(store, kinds, settings)
        from_s = (to_s - length_s) / MINUTE_S * MINUTE_S
        recent = of(windows, from_s, to_s, kinds:, settings:)
        until_s = [to_s, *recent.spans.map(&:end)].max
        earlier = since_s < from_s && windows.interval(since_s, from_s)
        return Analysis::MeasuredTime.whole(from_s, until_s) if earlier
        recent.empty? ? recent : Analysis::MeasuredTime.whole(recent.from_s, until_s)
      end

      # What is asked of a store, for units of these kinds and settings.
      class StoredWindows
        def initialize(store, kinds, settings)
          @store = store
          @kinds = kinds
          @settings = settings
        end

        # @return [RecordedInterval::Interval, nil] from the first window with such units to the last
        def interval(from_s, to_s)
          RecordedInterval.call(@store, from_s:, to_s:, kinds: @kinds, settings: @settings)
        end

        # Whether the first units may have begun before that second: none are counted before.
        def first?(at_s) = interval(at_s - finest_s(at_s), at_s).nil?

        # Whether no unit is counted from that second on, for a window.
        def last?(at_s) = interval(at_s, at_s + finest_s(at_s - 1)).nil?

        def finest_s(at_s) = @store.finest_s(at_s)

        # @return [Array<Integer>] starts of ten-minute blocks that may have such units, ascending
        def block_starts(from_s, to_s)
          starts = @store.unit_sample_starts(from_s, to_s)
          part = @settings || @store.part?
          (part && starts.size > 1) ? with_units(starts) : starts
        end

        def unit_spans(starts) = @store.unit_spans(starts)

        private

        # Others may have had units while these had none. A unit is counted in its block, or in the next one
        # if it ended or was seen later.
        def with_units(starts)
          from_s, to_s = starts.first, starts.last + 2 * BLOCK_S
          step_s = (to_s - from_s <= LONG_S) ? BLOCK_S : HOUR_S
          found = @store.setting_starts(from_s, to_s, step_s:, kinds: @kinds)
          found = found.select { |_, setting| @settings.include?(setting) } if @settings
          blocks = found.flat_map { |at_s, _| blocks_of(at_s, step_s) }.to_set
          starts.select { |start_s| blocks.include?(start_s) || blocks.include?(start_s + BLOCK_S) }
        end

        # @return [Array<Integer>] starts of the blocks that a step or a longer window has
        def blocks_of(at_s, step_s)
          to_s = [at_s / step_s * step_s + step_s, at_s + finest_s(at_s)].max
          (at_s / BLOCK_S * BLOCK_S...to_s).step(BLOCK_S).to_a
        end
      end

      def initialize(windows, interval, kinds, settings)
        @windows = windows
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
        at_s if at_s && at_s < from_s + 2 * @windows.finest_s(from_s)
      end

      # Whether the first units may have begun before the first windows: no others did.
      def ahead?
        return @ahead if defined?(@ahead)
        @ahead = @windows.first?(@interval.from_s)
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
        [at_s, latest_s].min if at_s && at_s > to_s - 2 * @windows.finest_s(to_s - 1)
      end

      # Until when units count that are counted in the last windows.
      def latest_s
        to_s = @interval.to_s
        @latest_s ||= @windows.last?(to_s) ? to_s + SLACK_S : to_s
      end

      def last_blocks
        starts(@interval.from_s - BLOCK_S, latest_s).reverse
      end

      # Of the ten-minute blocks in that span.
      def starts(from_s, to_s)
        @starts ||= @windows.block_starts(@interval.from_s - BLOCK_S, @interval.to_s + SLACK_S)
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
        found = @windows.unit_spans(missing)
        missing.each { |start_s| @blocks[start_s] = found.fetch(start_s, []).select(&:since_ns) }
      end

      # Spans in which nothing was running. A block may have units of other applications only: then the next
      # one is asked, because a unit is counted after its start.
      # @return [Array<(Float, Float)>] from and to
      def pauses(from_s, to_s)
        all = starts_with_units(from_s, to_s)
        gaps = (1...all.size).select { |index| all[index] - all[index - 1] > BLOCK_S }
        longest = gaps.max_by(MOST_PAUSES) { |index| all[index] - all[index - 1] }
        read(longest.flat_map { |index| all[[index - 2, 0].max..index + 1] }.uniq)
        around = longest.map do |index|
          before = all[[index - 2, 0].max...index].reverse
          [before, all[index..index + 1]].map { |some| nearest(some) }
        end
        known = around.reject { |before, after| before.nil? || after.nil? }
        known.map { |before, after| pause(before, after) }
      end

      # Windows of hours do not say which blocks have such units.
      def starts_with_units(from_s, to_s)
        all = starts(from_s, to_s)
        return all if all.size > MOST_READ || @windows.finest_s(from_s) <= BLOCK_S
        read(all)
        all.select { |start_s| block(start_s).any? }
      end

      # @return [Array<SampleBlock::UnitSpans>, nil] of the first of these blocks that has units
      def nearest(starts)
        found = starts.find { |start_s| block(start_s).any? }
        found && block(found)
      end

      def pause(before, after)
        ended_ns = before.map(&:last_end_ns).max
        began_ns = after.map { |origin| [origin.since_ns, origin.first_start_ns].min }.min
        [ended_ns.fdiv(NS), began_ns.fdiv(NS)]
      end
    end
  end
end
