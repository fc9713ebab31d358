# frozen_string_literal: true

module Holdup
  module Analysis
    # Figures of processes and their containers, from the samples of the collector.
    #
    #   processes = ProcessReport.new(store.processes(from, to), from_s: from, to_s: to)
    #   processes.machines.first.ceiling.range
    class ProcessReport
      # The pool of requests. Where a server runs jobs too, these have pools of their own.
      WEB = "web"
      # Prefix of pools of database connections, which take no units.
      CONNECTIONS = "db "
      # Keys of samples that have a pool's name. The keys of its figures begin with them.
      POOLS = (0...8).map { |number| :"pool.#{number}" }.freeze

      # Seconds between two samples of a process, unless they were thinned out.
      EVERY_S = 60
      # Samples of a process that are enough to show a span, and how long a store keeps them.
      POINTS = 60
      KEPT_S = 48 * 3600

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param settings [Hash{String => Setting}] by fingerprint, where samples of a container are missing
      def initialize(samples, from_s:, to_s:, every_s: EVERY_S, native_ratio: 0.0, settings: {})
        @samples = samples.sort_by { |sample| sample[:at_s] }
        @span = {from_s:, to_s:, every_s:}
        @native_ratio = native_ratio
        @settings = settings
      end

      # Seconds between the samples that Store#processes should read of such a span; nil: all.
      def self.every_s(from_s, to_s)
        every_s = [to_s - from_s, KEPT_S].min / POINTS
        every_s if every_s > EVERY_S
      end

      def members
        @members ||= begin
          members = measured.map { |trail| MeasuredProcess.of(trail, **@span) }
          members.sort_by { |member| [member.host.to_s, member.server.to_s, member.name.to_s, member.pid] }
        end
      end

      def machines
        @machines ||= members.group_by(&:host).map do |host, same|
          Machine.new(host:, trail: containers[host], members: same, native_ratio: @native_ratio,
            vcpus: vcpus(same))
        end
      end

      def machine(host)
        machines.find { |machine| machine.host == host }
      end

      # CPUs that a host's other processes used from one sample of its container to the next, where the CPU
      # time of the measured ones is known.
      # @return [Array<OtherCpuInterval>]
      def other_cpus(host)
        return [] unless containers.key?(host)
        UnmeasuredCpu.new(containers[host], measured.select { |trail| trail[:host] == host }).intervals
      end

      # The one with the fewest vCPUs, which limits all of them.
      def smallest_machine
        machines.min_by { |machine| machine.vcpus || Float::INFINITY }
      end

      def time_series
        MeasuredProcess::ProcessTimeSeries.new(measured, every_s: @span[:every_s])
      end

      # CPU shares of containers are of one core too.
      def container_time_series
        MeasuredProcess::ProcessTimeSeries.new(containers.values, every_s: @span[:every_s])
      end

      def connections = ConnectionUse.new(members)

      # Processes of one server together, most CPU first.
      def groups
        @groups ||= begin
          groups = members.group_by(&:server).map do |server, processes|
            ServerProcesses.new(server:, processes:)
          end
          groups.sort_by { |group| [-group.cpu_share.to_f, group.server.to_s] }
        end
      end

      # Pools of the same server and name in all processes, most busy first.
      def pools
        @pools ||= begin
          pools = pools_by_name.map { |(server, name), same| PoolThreads.of(server, name, same.to_h) }
          pools.sort_by { |threads| [-threads.busy.to_f, threads.name] }
        end
      end

      private

      def pools_by_name
        pools = members.flat_map { |member| unit_pools(member) }
        pools.group_by { |member, pool| [member.server, pool.name] }
      end

      def unit_pools(member)
        member.pools.select { |pool| pool.max != 0 && pool.takes?(nil) }.map { |pool| [member, pool] }
      end

      def measured
        @measured ||= SampleTrail.all(@samples.reject { |sample| SampleTrail.container?(sample) })
      end

      def containers
        @containers ||= begin
          trails = SampleTrail.all(@samples.select { |sample| SampleTrail.container?(sample) })
          trails.to_h { |trail| [trail[:host], trail] }
        end
      end

      def vcpus(members)
        members.filter_map { |member| @settings[member.setting]&.[]("vcpus") }.last
      end

      # `cpus`: that processes which are not measured used; seconds since 1970
      OtherCpuInterval = Data.define(:from_s, :to_s, :cpus)

      # A group of threads that take units, in one process. What is unknown is nil.
      # - `max`: threads it may have; `busy`: mean of those with a unit, exact where the process counts their
      #   time, else the mean of the samples (as of connection pools)
      # - `backlog`: mean of the samples; `most_backlog`, `oldest_ns` (age of a waiting unit): largest
      ProcessPool = Data.define(:name, :max, :busy, :backlog, :most_backlog, :oldest_ns) do
        def takes?(kind)
          return false if name.start_with?(CONNECTIONS)
          case kind
          when :request then name == WEB
          when :job then name != WEB
          else true
          end
        end
      end

      # Processes of one server, on all hosts. Some replace others, so sums are those of a moment, on average.
      ServerProcesses = Data.define(:server, :processes) do
        # The sum over processes at a moment, on average.
        # @yieldreturn [Numeric, nil] nil is left out
        def self.mean_sum(processes)
          weighted = processes.filter_map do |process|
            value = yield process
            value && value * process.seconds
          end
          weighted.sum.fdiv([Machine.covered_s(processes), 1].max) if weighted.any?
        end

        def size = Machine.concurrent(processes)

        def cpu_share
          self.class.mean_sum(processes, &:cpu_share)
        end

        # Threads that took units.
        def busy
          self.class.mean_sum(processes, &:busy)
        end

        # Threads that may take units.
        def threads
          self.class.mean_sum(processes, &:threads)
        end

        # Threads that waited for the GVL.
        def waiting
          self.class.mean_sum(processes, &:waiting)
        end

        def gc_share
          sum = self.class.mean_sum(processes, &:gc_share)
          sum && sum / size
        end

        # Memory of the present processes: :rss_bytes, :pss_bytes or :uss_bytes.
        def memory(key)
          known = present.filter_map(&key)
          known.sum if known.any?
        end

        def redis_rtt_ns
          known = processes.filter_map(&:redis_rtt_ns).sort
          known[known.size / 2]
        end

        def present
          last_s = processes.map(&:to_s).max
          processes.select { |process| process.to_s == last_s }
        end
      end

      # The pools of one name in all processes of a server. `size`: processes; `max`, `busy`, `backlog`: at a
      # moment in all of them together; `most_backlog`, `oldest_ns`: the most that was seen in one.
      PoolThreads = Data.define(:server, :name, :size, :max, :busy, :backlog, :most_backlog, :oldest_ns) do
        def self.of(server, name, pools)
          sums = %i[max busy backlog].to_h do |key|
            [key, ServerProcesses.mean_sum(pools.keys) { |member| pools[member].public_send(key) }]
          end
          largest = %i[most_backlog oldest_ns].to_h { |key| [key, pools.values.filter_map(&key).max] }
          size = Machine.concurrent(pools.keys)
          new(server:, name:, size:, **sums, **largest, backlog: backlog(sums[:backlog], name, size))
        end

        # Requests wait at each process. Jobs wait in shared queues, and each process reports the whole queue.
        def self.backlog(sum, name, size)
          (name == WEB) ? sum : sum && sum / size
        end
        private_class_method :backlog

        def busy_share
          (busy && max&.positive?) ? busy / max : nil
        end
      end

      # How many connections to a database server all processes may have at the same time: each thread that
      # takes units may have one, as far as its process's pool allows. A process and its successor count once.
      class ConnectionUse
        # @param members [Array<MeasuredProcess>] of all servers and job runners
        def initialize(members)
          @members = members
        end

        def total = of_kind(nil)

        def of_kind(kind)
          ServerProcesses.mean_sum(@members) { |member| possible(member, kind) }.to_f.round
        end

        def of_other_kinds(kind)
          total - of_kind(kind)
        end

        private

        def possible(member, kind)
          databases, units = member.pools.partition { |pool| pool.name.start_with?(CONNECTIONS) }
          threads = units.select { |pool| pool.takes?(kind) }.sum { |pool| pool.max.to_i }
          [threads, *databases.filter_map(&:max).max].min
        end
      end
    end
  end
end
