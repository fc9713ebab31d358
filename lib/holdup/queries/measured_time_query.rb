# frozen_string_literal: true

module Holdup
  module Queries
    # Reads when units were measured. Windows know minutes at best; units that are kept singly know when the
    # first began and when the last ended. Ten minutes and more without any unit are a pause. A pause counts
    # when a process was there that took units afterwards: then no unit came. Else nothing was running.
    class MeasuredTimeQuery
      NS = 1_000_000_000
      BLOCK_S = SampleBlock::SECONDS
      # A unit is counted in the minute in which the collector saw it, which may be the one after its end.
      SLACK_S = 60
      # Of more pauses, only the longest are looked at.
      MOST_PAUSES = 36
      # Blocks that are searched for the first unit, and for the last.
      MOST_BLOCKS = 12

      # @param store [Store::Sql]
      # @param from_s [Integer] of what was asked for
      # @param to_s [Integer]
      # @param kinds [Array<Symbol>] of units
      # @param settings [Enumerable<Setting>, nil] nil for all
      # @return [Analysis::MeasuredTime] empty where there are no units
      def self.call(store, from_s:, to_s:, kinds: Series::UNITS, settings: nil)
        extent = RecordedInterval.call(store, from_s:, to_s:, kinds:, settings:)
        extent ? new(store, extent, kinds, settings).call : Analysis::MeasuredTime.whole(from_s, from_s)
      end

      # @param store [Store::Sql]
      # @param extent [RecordedInterval::Interval]
      # @param kinds [Array<Symbol>]
      # @param settings [Enumerable<Setting>, nil]
      def initialize(store, extent, kinds, settings)
        @store = store
        @extent = extent
        @kinds = kinds
        @settings = settings
        @blocks = {}
      end

      # @return [Analysis::MeasuredTime]
      def call
        first_s = first
        last_s = last
        from_s = first_s || @extent.from_s
        to_s = last_s || @extent.to_s
        whole = Analysis::MeasuredTime.whole(from_s, to_s, exact: !first_s.nil? && !last_s.nil?)
        pauses(from_s, to_s).reduce(whole) { |coverage, pause| coverage.without(*pause) }
      end

      private

      # @return [Float, nil] nil where no unit is kept of the first windows
      def first
        from_s = @extent.from_s
        length_s = @store.finest_s(from_s)
        alone = alone?(from_s - length_s, from_s)
        found = search(starts(from_s - BLOCK_S, @extent.to_s)) do |unit|
          alone ? unit.end_ns >= (from_s - SLACK_S) * NS : unit.start_ns >= from_s * NS
        end
        at_s = found&.map(&:start_ns)&.min&.fdiv(NS)
        at_s if at_s && at_s < from_s + 2 * length_s
      end

      # @return [Float, nil] likewise, of the last windows
      def last
        to_s = @extent.to_s
        length_s = @store.finest_s(to_s - 1)
        latest_s = alone?(to_s, to_s + length_s) ? to_s + SLACK_S : to_s
        blocks = starts(@extent.from_s - BLOCK_S, latest_s).reverse
        found = search(blocks) { |unit| unit.start_ns < latest_s * NS }
        at_s = found&.map(&:end_ns)&.max&.fdiv(NS)
        [at_s, latest_s].min if at_s && at_s > to_s - 2 * length_s
      end

      # Whether no such unit is counted there, so that those which began there are counted beside it.
      def alone?(from_s, to_s)
        RecordedInterval.call(@store, from_s:, to_s:, kinds: @kinds, settings: @settings).nil?
      end

      def starts(from_s, to_s)
        @store.profile_starts(from_s, to_s)
      end

      # @return [Array<UnitSample>, nil] those of the first of these blocks that has some
      def search(starts)
        starts.first(MOST_BLOCKS).each do |start_s|
          found = block(start_s).select { |unit| wanted?(unit) && yield(unit) }
          return found if found.any?
        end
        nil
      end

      def wanted?(unit)
        @kinds.include?(unit.series.kind) && (@settings.nil? || @settings.include?(unit.setting))
      end

      # Of whatever was running.
      def block(start_s)
        @blocks[start_s] ||= @store.profiles(start_s, start_s + BLOCK_S).to_a
      end

      # Where one of several applications is looked at, a block may have units of the others only: then nobody
      # can tell.
      # @return [Array<(Float, Float)>] when nothing was running: from when to when
      def pauses(from_s, to_s)
        gaps = starts(from_s, to_s).each_cons(2).select { |one, other| other - one > BLOCK_S }
        longest = gaps.max_by(MOST_PAUSES) { |one, other| other - one }
        around = longest.map { |both| both.map { |start_s| block(start_s) } }
        around.reject { |both| both.any?(&:empty?) }.map { |both| pause(*both) }
      end

      def pause(before, after)
        began_ns = after.map { |unit| [unit.process.since_ns, unit.start_ns].min }.min
        [before.map(&:end_ns).max, began_ns].map { |ns| ns.fdiv(NS) }
      end
    end
  end
end
