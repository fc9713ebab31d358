# frozen_string_literal: true

module Holdup
  class Collector
    # The requests and jobs of this host that are in flight for long, as of one round. The store keeps those
    # of the latest round. A container that is killed takes its segments and its collector with it, and then
    # another collector makes autopsies of these (see LostProcesses).
    class LastRound
      # Most requests are shorter, so that a round has little to read and to write.
      LONG_NS = 10 * NS
      # Of one host; those that run for longest.
      MOST_UNITS = 100

      # A process with long requests or jobs. `facts`: of its Autopsy
      LongProcess = Data.define(:name, :header, :setting, :facts) do
        def started_ns = facts[:units].map { |unit| unit[:started_ns] }.min
      end
      private_constant :LongProcess

      def initialize(host:)
        @host = host
        start(0)
      end

      # Begins a round.
      # @param last [Boolean] whether the collector ends by itself after it, and leaves nothing
      def start(now_ns, last: false)
        @now_ns = now_ns
        @last = last
        @found = []
      end

      # @param name [String] of the segment
      # @param reader [Segment::Reader] of a process that lives
      # @raise [SegmentError]
      def add(name, reader, setting)
        return if @last
        units = reader.open_units(begun_by_ns: @now_ns - LONG_NS)
        return if units.empty?
        facts = Autopsies.facts(reader, units)
        @found << LongProcess.new(name:, header: reader.header, setting:, facts:)
      end

      # @return [Boolean] whether the store has to learn of this round even if nothing ended in it
      def news? = @found.any? || @stored

      # The caller does this after the commit.
      def committed
        @stored = @found.any?
      end

      # @param folder [String] id of the folder of the segments
      # @return [Array<Autopsy>]
      def to_a(folder)
        room = MOST_UNITS
        @found.sort_by(&:started_ns).filter_map do |process|
          units = longest(process.facts[:units], room)
          room -= units.size
          autopsy(process, folder, units) if units.any?
        end
      end

      private

      # Of a part of them it is not said which ones run inside others.
      def longest(units, room)
        return units if units.size <= room
        units.min_by(room) { |unit| unit[:started_ns] }.map { |unit| unit.except(:outer) }
      end

      def autopsy(process, folder, units)
        header = process.header
        source = "#{folder}/#{process.name}:#{header.created_ns}:lost"
        Autopsy.new(**process.facts, source:, units:, host: @host, pid: header.pid, name: header.process_name,
          setting: process.setting.fingerprint, since_ns: header.created_ns, gone_ns: @now_ns, reason: :lost,
          last_round_ns: @now_ns)
      end
    end
  end
end
