# frozen_string_literal: true

module Holdup
  module Analysis
    # Whose units used the CPU of the processes of a server: its requests, and the jobs of each group of
    # threads. A unit's CPU is measured, with the GVL and without; what is left of the processes' is what they
    # did outside of units.
    class PoolCpu
      NS = 1_000_000_000
      # Less than that of the units' CPU in no known pool is what short spans and rounding leave.
      LEAST = 0.01

      # `kind`: :pool, :unknown (jobs of which nobody knows the pool), :outside (of units); `name` and `units`
      # (how many) of a pool, else nil; `cpu_share`: CPUs that were used, on average
      PoolShare = Data.define(:server, :kind, :name, :units, :cpu_share) do
        def initialize(server:, kind:, cpu_share:, name: nil, units: nil)
          super
        end
      end

      # @param processes [ProcessReport]
      # @param entries [Array<WindowTable::WindowEntry>] of all kinds
      def initialize(processes, entries)
        @groups = processes.groups
        @entries = entries.group_by { |entry| entry.setting&.fingerprint }
      end

      # @return [Array<PoolShare>] of each server its pools, most CPU first, then the rest
      def lines
        @groups.flat_map { |group| of(group, Machine.covered_s(group.processes)) }
      end

      private

      def of(group, seconds)
        return [] if group.cpu_share.nil? || seconds.zero?
        entries = @entries.values_at(*group.processes.map(&:setting).uniq).compact.flatten
        pools = pools(entries).map do |name, same|
          PoolShare.new(server: group.server, kind: :pool, name:,
            units: same.sum { |entry| entry.window.count }, cpu_share: cpus(same, seconds))
        end
        [*pools.sort_by { |line| -line.cpu_share },
          *rest(group, pools.sum(&:cpu_share), all(entries, seconds))]
      end

      # @return [Hash{String => Array<WindowTable::WindowEntry>}]
      def pools(entries)
        web = entries.select { |entry| entry.series.kind == :request }
        jobs = entries.select { |entry| entry.series.kind == :pool }.group_by { |entry| entry.series.name }
        web.empty? ? jobs : {ProcessReport::WEB => web, **jobs}
      end

      # @return [Float] CPUs of all units, each once
      def all(entries, seconds)
        units, others = entries.partition { |entry| entry.series.unit? }
        cpus(units, seconds) - cpus(others.select { |entry| entry.series.kind == :nested }, seconds)
      end

      def rest(group, pools, units)
        unknown = PoolShare.new(server: group.server, kind: :unknown, cpu_share: units - pools)
        outside = PoolShare.new(server: group.server, kind: :outside,
          cpu_share: [group.cpu_share - units, 0.0].max)
        (unknown.cpu_share > units * LEAST) ? [unknown, outside] : [outside]
      end

      def cpus(entries, seconds)
        entries.sum { |entry| entry.window.sums.values_at(:cpu_ns, :native_ns).sum }.fdiv(seconds * NS)
      end

      # How much of the threads that could have worked on some units did: 100 % is "every thread always busy",
      # and long before that units wait for a thread.
      #
      # The threads are those of the pools that these units ran in, in the processes of the same settings,
      # over the time that these processes were there. Of jobs, that is the pools that ran any job of their
      # queues; where nobody told which pool that was, all pools for jobs count.
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
end
