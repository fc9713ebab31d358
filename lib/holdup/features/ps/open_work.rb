# frozen_string_literal: true

module Holdup
  module Ps
    # An open request or job in its process.
    #
    # - `process`: OpenProcess; `unit`: Segment::OpenUnit; `now_ns`: since 1970
    RunningRow = Data.define(:process, :unit, :now_ns) do
      # @return [Integer]
      def elapsed_ns = [now_ns - unit.started_ns, 0].max

      # @return [Symbol] of the unit, :holding for one that runs and holds the GVL, :unknown
      def state
        return :unknown unless unit.state
        (unit.state == :running && holds?) ? :holding : unit.state
      end

      # @return [SeenState]
      def seen = SeenState.new(since_ns: unit.since_ns, seen_ns: unit.seen_ns, now_ns:)

      # @return [GvlHold, nil] of whom it waits for
      def awaited = (GvlHold.of(process, now_ns) if unit.state == :gvl)

      # @return [Segment::OpenUnit, nil] the request or job inside which it runs
      def outer = unit.outer && process.units[unit.outer]

      # @return [Integer, nil] objects that the whole process has allocated since it began; nil if the process
      #   has not ticked since
      def objects
        return unless unit.objects && process.objects
        added = process.objects - unit.objects
        added unless added.negative?
      end

      private

      def holds? = unit.holder && process.holding_unit.equal?(unit)
    end

    # What the processes of a host have begun and not ended.
    class OpenWork
      attr_reader :processes, :now_ns

      # @param processes [Array<OpenProcess>]
      # @param now_ns [Integer] since 1970
      def initialize(processes, now_ns)
        @processes = processes
        @now_ns = now_ns
      end

      # @param longer_ns [Integer] only those that have run for so long
      # @return [Array<RunningRow>] the longest first
      def rows(longer_ns: 0)
        all = @processes.flat_map do |process|
          process.units.map { |unit| RunningRow.new(process:, unit:, now_ns: @now_ns) }
        end
        all.select { |row| row.elapsed_ns >= longer_ns }
          .sort_by { |row| [-row.elapsed_ns, row.process.pid, row.unit.name] }
      end

      # @return [Array<GvlHold>] of the processes in which somebody waits, or that have not released the GVL
      #   for long; the longest first
      def holds
        holds = @processes.filter_map { |process| GvlHold.of(process, @now_ns) }
        holds.select(&:notable?).sort_by { |hold| [-hold.seen.lasted_ns.to_i, hold.process.pid] }
      end

      # @return [Array<HungSign>]
      def hung = @processes.flat_map { |process| HungSigns.of(process, @now_ns) }
    end
  end
end
