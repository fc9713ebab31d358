# frozen_string_literal: true

module Holdup
  module Analysis
    # How much of the threads that could have worked on some units did: 100 % is "every thread always busy",
    # and long before that units wait for a thread.
    #
    # The threads are those of the pools that these units ran in, in the processes of the same settings, over
    # the time that these processes were there. Of jobs, that is the pools that ran any job of their queues;
    # where nobody told which pool that was, all pools for jobs count.
    class Capacity
      NS = 1_000_000_000
      # What a row's units are.
      KINDS = {request: :request, job: :job, priority: :job}.freeze

      # @param members [Array<ProcessReport::MeasuredProcess>]
      # @param pools [Array<WindowTable::WindowEntry>] jobs by pool and queue
      def initialize(members, pools = [])
        @members = members
        @pools = pools.group_by { |entry| entry.setting&.fingerprint }
      end

      # @param row [SeriesRow]
      # @return [Float, nil] 0.0 .. 1.0; nil when nobody knows how many threads there were
      def share(row)
        seconds = members(row).filter_map { |member|
          member.thread_seconds(KINDS[row.kind],
            names(row, member))
        }.sum
        row.wall_ns.fdiv(seconds * NS) if seconds.positive?
      end

      private

      # A row of a process is of that one only.
      def members(row)
        @members.select { |member|
          row.settings.include?(member.setting) && (row.kind != :process || row.name == member.name)
        }
      end

      # @return [Array<String>, nil] the pools of this process that ran such jobs; nil for any
      def names(row, member)
        return unless KINDS[row.kind] == :job
        found = @pools.fetch(member.setting,
          []).map(&:series).select { |series| row.queues.include?(series.queue) }.map(&:name)
        found if found.any?
      end
    end
  end
end
