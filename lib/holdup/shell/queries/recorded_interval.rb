# frozen_string_literal: true

module Holdup
  module Queries
    # The part of a span in which units were recorded: from the first to the last of the shortest windows that
    # are kept. Reports read only this part, so that the empty rest does not change them.
    class RecordedInterval
      # Searches long windows of the whole span first, then shorter ones at its ends; all from an index.
      STEPS_S = [86_400, 3600, 60].freeze

      # Longest recording => length in seconds of the windows to read.
      WINDOWS_S = {3 * 3600 => 60, 36 * 3600 => 300, Float::INFINITY => 3600}.freeze

      Interval = Data.define(:from_s, :to_s) do
        # Seconds. A month has too many minutes.
        def window_s
          WINDOWS_S.find { |longest_s, _| to_s - from_s <= longest_s }.last
        end
      end

      # @param settings [Enumerable<Setting>, nil] nil for all
      # @param which [Hash] filter of units, see Store::Reader
      # @return [Interval, nil] whole windows; nil without any
      def self.call(store, from_s:, to_s:, settings: nil, **which)
        new(store, settings, which).call(from_s, to_s)
      end

      def initialize(store, settings, which)
        @store = store
        @settings = settings
        @which = which
      end

      def call(from_s, to_s)
        steps_s = STEPS_S.drop_while { |step_s| step_s > MINUTE_S && step_s >= to_s - from_s }
        coarse_s, *finer_s = steps_s
        first_s, last_s = starts(from_s, to_s, coarse_s).minmax
        return unless first_s
        last_s = last(last_s, to_s, finer_s)
        Interval.new(from_s: first(first_s, to_s, steps_s), to_s: last_s + @store.finest_s(last_s))
      end

      private

      # Another process may prune meanwhile: then the start found before stays.
      def first(from_s, to_s, steps_s)
        steps_s.each_cons(2) do |step_s, finer_s|
          from_s = starts(from_s, [from_s + step_s, to_s].min, finer_s).min || from_s
        end
        from_s
      end

      def last(from_s, to_s, finer_s)
        finer_s.reduce(from_s) { |at_s, step_s| starts(at_s, to_s, step_s).max || at_s }
      end

      # The first of each setting in each step.
      def starts(from_s, to_s, step_s)
        starts = @store.setting_starts(from_s, to_s, step_s:, **@which)
        starts = starts.select { |_, setting| @settings.include?(setting) } if @settings
        starts.map(&:first)
      end

      # The part of a span that charts show: the part with data, or the last recording.
      class ChartedSpan
        # A smaller share of the span is not cut off; nor are the last minutes, whose data may still arrive.
        WORTH = 0.05
        LATE_S = 300
        # A longer time without data separates two recordings.
        PAUSE_S = 1800
        # Only the last day of a longer recording is shown.
        LONGEST_S = 86_400
        # Stores keep nothing for longer.
        BACK_S = 400 * 86_400

        # @param filter [Analysis::UnitFilter] its settings; a filter of units also limits the units
        # @param units [Boolean] whether only units count, not threads of a process without units
        def initialize(store, filter: Analysis::UnitFilter.new, units: false)
          @store = store
          @filter = filter
          @which = units ? {kinds: Series::UNITS, only: filter} : {}
        end

        # @return [Array(Integer, Integer), nil] from the first second with data to the end of the last
        def within(from_s, to_s)
          settings = settings(from_s, to_s)
          interval = RecordedInterval.call(@store, from_s:, to_s:, settings:, **@which)
          interval && [[interval.from_s, from_s].max, [interval.to_s, to_s].min]
        end

        # @return [Array(Integer, Integer)] the part with data; the span when that is nearly all, or nothing
        def shown(from_s, to_s)
          part = within(from_s, to_s) or return [from_s, to_s]
          cut_s = to_s - from_s - (part.last - part.first)
          (cut_s > [WORTH * (to_s - from_s), LATE_S].max) ? part : [from_s, to_s]
        end

        # @return [Array(Integer, Integer), nil] the last recording before that, without a pause
        def last(to_s)
          part = within([to_s - BACK_S, 0].max, to_s) or return
          end_s = part.last
          finest_s = @store.finest_s(end_s - 1)
          starts = starts(end_s - LONGEST_S, end_s, finest_s)
          run = starts.slice_when { |one, other| other - one > PAUSE_S + finest_s }.to_a.last
          [run.first, end_s]
        end

        private

        def settings(from_s, to_s)
          starts = @store.setting_starts(from_s, to_s, step_s: LONGEST_S, **@which)
          starts.map(&:last).uniq.select { |setting| @filter.setting?(setting) }
        end

        # @return [Array<Integer>] starts of the steps with data, ascending
        def starts(from_s, to_s, step_s)
          starts = @store.setting_starts(from_s, to_s, step_s:, **@which)
          starts.filter_map { |at_s, setting| at_s if @filter.setting?(setting) }.uniq.sort
        end
      end
    end

    class RecordedInterval
      # Reads single units of a span. A long span has millions, so it reads only evenly spread blocks, each
      # with all its kept units. Many hosts have millions in an hour: of each host's block it reads as many as
      # make UNITS of a setting in all, each as likely as the others of the block.
      module UnitSampleQuery
        BLOCK_S = SampleBlock::SECONDS
        # More than enough units for a replay, and minutes for a peak.
        BLOCKS = 72
        UNITS = BLOCKS * SampleBlock::MOST
        # Fewer ten minutes are read if there are many hosts, but not fewer than these.
        HOST_BLOCKS = 4 * BLOCKS
        FEWEST_BLOCKS = 12

        module_function

        # @param hosts [Integer] that have units, roughly
        def call(store, from_s, to_s, blocks: BLOCKS, hosts: 1)
          blocks = (HOST_BLOCKS / hosts).clamp([FEWEST_BLOCKS, blocks].min, blocks)
          groups = groups(store.unit_sample_starts(from_s, to_s), blocks)
          most = [UNITS / (groups.size * hosts), 1].max unless groups.empty?
          limit = (most && most < SampleBlock::MOST) ? {most:} : {}
          spans(groups, from_s, to_s).flat_map { |span| store.unit_samples(*span, **limit).to_a }
        end

        # @param all [Integer] periods of ten minutes with units
        # @return [Integer] how many of them it reads: one of each group, and groups are of one size
        def periods(all, blocks) = all.ceildiv(group_size(all, blocks))

        def groups(starts, blocks) = starts.each_slice(group_size(starts.size, blocks)).to_a

        def group_size(all, blocks) = [all.ceildiv(blocks), 1].max

        def spans(groups, from_s, to_s)
          return [[from_s, to_s]] if groups.all?(&:one?)
          groups.map { |start_s, *| [[start_s, from_s].max, [start_s + BLOCK_S, to_s].min] }
        end
        private_class_method :groups, :group_size, :spans
      end
    end
  end
end
