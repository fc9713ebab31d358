# frozen_string_literal: true

module Holdup
  module Analysis
    # Which units used the CPU of a server's processes: its requests, and the jobs of each group of threads.
    # The CPU of units is measured, with the GVL and without; the rest was used outside of units.
    class PoolCpu
      # Less of the units' CPU without a known pool comes from short spans and rounding.
      LEAST = 0.01

      # `kind`: :pool, :unknown (jobs whose pool is unknown), :outside (of units); `name` and `units` (how
      # many) of a pool, else nil; `cpu_share`: CPUs that were used, on average
      PoolShare = Data.define(:server, :kind, :name, :units, :cpu_share) do
        def initialize(server:, kind:, cpu_share:, name: nil, units: nil)
          super
        end
      end

      # @param entries [Array<WindowTable::WindowEntry>] of all kinds
      def initialize(processes, entries)
        @groups = processes.groups
        @entries = entries.group_by { |entry| entry.setting&.fingerprint }
      end

      # Pools of each server, most CPU first, then the rest.
      def lines
        @groups.flat_map { |group| shares(group, Machine.covered_s(group.processes)) }
      end

      private

      def shares(group, seconds)
        return [] if group.cpu_share.nil? || seconds.zero?
        entries = @entries.values_at(*group.processes.map(&:setting).uniq).compact.flatten
        pools = pools(entries).map { |name, same| pool_share(group, name, same, seconds) }
        rest = rest(group, pools.sum(&:cpu_share), units_cpu(entries, seconds))
        [*pools.sort_by { |share| -share.cpu_share }, *rest]
      end

      def pool_share(group, name, entries, seconds)
        PoolShare.new(server: group.server, kind: :pool, name:,
          units: entries.sum { |entry| entry.window.count }, cpu_share: cpus(entries, seconds))
      end

      def pools(entries)
        web = entries.select { |entry| entry.series.kind == :request }
        jobs = entries.select { |entry| entry.series.kind == :pool }.group_by { |entry| entry.series.name }
        web.empty? ? jobs : {ProcessReport::WEB => web, **jobs}
      end

      # CPUs of all units, each once.
      def units_cpu(entries, seconds)
        units, others = entries.partition { |entry| entry.series.unit? }
        nested = others.select { |entry| entry.series.kind == :nested }
        cpus(units, seconds) - cpus(nested, seconds)
      end

      def rest(group, pools, units)
        unknown = PoolShare.new(server: group.server, kind: :unknown, cpu_share: units - pools)
        outside = PoolShare.new(server: group.server, kind: :outside,
          cpu_share: [group.cpu_share - units, 0.0].max)
        (unknown.cpu_share > units * LEAST) ? [unknown, outside] : [outside]
      end

      def cpus(entries, seconds)
        entries.sum { |entry| entry.window.most_cpu_ns + entry.window.sums[:native_ns] }.fdiv(seconds * NS)
      end

      # Share of the thread time that some units used, of the threads that could have taken them: at 100 %
      # every thread is always busy, and long before that units wait for a thread.
      # The threads are those of the pools that ran such units, in the processes of the same settings, while
      # these processes were there. For jobs, these are the pools that ran any job of their queues; where the
      # pool is unknown, all pools for jobs count.
      class Capacity
        # Kind of a row => kind of its units.
        KINDS = {request: :request, job: :job, priority: :job}.freeze

        # @param pools [Array<WindowTable::WindowEntry>] jobs by pool and queue
        def initialize(members, pools = [])
          @members = members
          @pools = pools.group_by { |entry| entry.setting&.fingerprint }
        end

        def share(row)
          kind = KINDS[row.kind]
          thread_seconds = members(row).filter_map do |member|
            member.thread_seconds(kind, pool_names(row, member))
          end
          row.wall_ns.fdiv(thread_seconds.sum * NS) if thread_seconds.sum.positive?
        end

        private

        # A row of a process is of that one only.
        def members(row)
          @members.select do |member|
            row.settings.include?(member.setting) && (row.kind != :process || row.name == member.name)
          end
        end

        # The pools of this process that ran such jobs; nil for any.
        def pool_names(row, member)
          return unless KINDS[row.kind] == :job
          series = @pools.fetch(member.setting, []).map(&:series)
          names = series.select { |pool| row.queues.include?(pool.queue) }.map(&:name)
          names if names.any?
        end
      end
    end
  end
end
