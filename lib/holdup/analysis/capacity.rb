# frozen_string_literal: true

module Holdup
  module Analysis
    # How much of the threads that could have worked on some units did: 100 % is "every thread always busy", and long
    # before that units wait for a thread.
    #
    # The threads are those of the pools that take units of that kind, in the processes of the same settings, over the
    # time that these processes were there. Which pool a unit ran in is not kept, so where a process has several for jobs
    # (capsules), all of them count.
    class Capacity
      NS = 1_000_000_000

      # @param members [Array<Processes::Member>]
      def initialize(members)
        @members = members
      end

      # @param row [Row]
      # @return [Float, nil] 0.0 .. 1.0; nil when nobody knows how many threads there were
      def share(row)
        seconds = members(row).filter_map { |member| member.thread_seconds(kind(row)) }.sum
        row.wall_ns.fdiv(seconds * NS) if seconds.positive?
      end

      private

      # A row of a process is of that one only.
      def members(row)
        @members.select { |member| row.settings.include?(member.setting) && (row.kind != :process || row.name == member.name) }
      end

      def kind(row) = %i[request job].include?(row.kind) ? row.kind : nil
    end
  end
end
