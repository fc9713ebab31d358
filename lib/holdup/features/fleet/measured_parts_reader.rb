# frozen_string_literal: true

module Holdup
  module Fleet
    # When each part of a fleet was measured, such as one host or one revision: MeasuredTimeQuery for each of
    # them, from one read of all.
    class MeasuredPartsReader
      # Lengths of the steps in which it reads where units are. Single units show the seconds inside.
      STEPS_S = [60, 300, 3600, 86_400].freeze
      # Rows for steps, hosts and settings together.
      MOST_ROWS = 20_000
      BLOCK_S = SampleBlock::SECONDS

      # @param windows [Array<Window>] of the span, one for each host, setting and kind
      # @yieldparam from_s [Integer]
      # @yieldparam to_s [Integer]
      # @yieldparam step_s [Integer]
      # @yieldreturn [Array<Window>] the same of another span, one for each step too
      def initialize(store, windows, from_s:, to_s:, &read)
        @store = store
        @from_s = from_s
        @to_s = to_s
        @read = read
        most = MOST_ROWS / [windows.size, 1].max
        @step_s = STEPS_S.find { |step_s| (to_s - from_s) / step_s <= most } || STEPS_S.last
        @blocks = {}
        @times = {}
      end

      # @param windows [Array<Window>] of one kind and of the hosts and settings that are meant
      # @return [Analysis::MeasuredTime]
      def of(windows)
        origins = windows.to_set { |window| [window.host, window.setting] }
        kind = windows.first&.series&.kind
        @times[[kind,
          origins]] ||= Queries::MeasuredTimeQuery.of(PartWindows.new(self, kind, origins), @from_s, @to_s,
            kinds: [kind, :overflow])
      end

      # @param origins [Set<(String, Setting)>] hosts and settings
      # @return [Hash{Symbol => Array<Window>}] :before the span, :inside it and :after it
      def steps(kind, origins)
        all.transform_values do |by_origin|
          origins.flat_map { |origin| by_origin.fetch([kind, *origin], []) }
        end
      end

      def finest_s(at_s) = [@step_s, @store.finest_s(at_s)].max

      # The windows of the span may be longer than it is.
      def block_starts
        @block_starts ||= begin
          inside = all.fetch(:inside).values.flatten
          from_s, to_s = inside.map(&:start_s).min, inside.map(&:end_s).max
          from_s ? @store.unit_sample_starts(from_s - BLOCK_S,
            to_s + Queries::MeasuredTimeQuery::SLACK_S) : []
        end
      end

      # @return [Hash{Integer => Array<SampleBlock::UnitSpans>}] by start of the block
      def unit_spans(starts, origins)
        read(starts - @blocks.keys)
        starts.to_h { |start_s| [start_s, @blocks.fetch(start_s).values_at(*origins).compact.flatten] }
      end

      # Does what Queries::MeasuredTimeQuery::StoredWindows does, for some hosts and settings.
      class PartWindows
        def initialize(parts, kind, origins)
          @parts = parts
          @origins = origins
          @steps = parts.steps(kind, origins)
        end

        def interval(_from_s, _to_s)
          inside = @steps[:inside]
          return if inside.empty?
          Queries::RecordedInterval::Interval.new(from_s: inside.map(&:start_s).min,
            to_s: inside.map(&:end_s).max)
        end

        def first?(at_s)
          earlier = @steps.values_at(:before, :inside).flatten
          earlier.none? { |window| window.start_s < at_s && window.end_s > at_s - finest_s(at_s) }
        end

        def last?(at_s)
          later = @steps.values_at(:inside, :after).flatten
          later.none? { |window| window.end_s > at_s && window.start_s < at_s + finest_s(at_s - 1) }
        end

        def finest_s(at_s) = @parts.finest_s(at_s)

        # A unit is counted in its block, or in the next one if it ended or was seen later.
        def block_starts(from_s, to_s)
          inside = @steps.values.flatten
          @parts.block_starts.select do |start_s|
            next false unless start_s > from_s - BLOCK_S && start_s < to_s
            inside.any? { |window| window.start_s < start_s + 2 * BLOCK_S && window.end_s > start_s }
          end
        end

        def unit_spans(starts) = @parts.unit_spans(starts, @origins)
      end

      private

      def read(missing)
        return if missing.empty?
        found = @store.unit_spans(missing)
        missing.each do |start_s|
          @blocks[start_s] = found.fetch(start_s, []).group_by { |block| [block.host, block.setting] }
        end
      end

      # The first and the last windows of the span may begin before it and end after it, so two more are read.
      def all
        @all ||= {before: [@from_s - 2 * finest_s(@from_s), @from_s], inside: [@from_s, @to_s],
                  after: [@to_s, @to_s + 2 * finest_s(@to_s - 1)]}.transform_values do |from_s, to_s|
          found = @read.call(from_s, to_s, @step_s).select { |window| window.count.positive? }
          found.group_by { |window| [window.series.kind, window.host, window.setting] }
        end
      end
    end
  end
end
