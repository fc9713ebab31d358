# frozen_string_literal: true

module Holdup
  module Analysis
    # The CPUs and memory of a host or its container, and how much of them its processes use and can use.
    class Machine
      SHORT_S = 3

      attr_reader :host, :members

      # @param trail [ProcessReport::SampleTrail, nil] of its container
      # @param vcpus [Numeric, nil] where the container's samples don't say
      def initialize(host:, trail:, members:, native_ratio: 0.0, vcpus: nil)
        @host = host
        @trail = trail
        @members = members
        @native_ratio = native_ratio
        @vcpus = vcpus
      end

      # @param machine [Machine, nil] the same host while units ran; nil: this one
      # @return [Machine] this one, with the CPU ceiling of that one
      def under_load(machine)
        dup.tap { |one| one.loaded = machine }
      end

      def vcpus
        trail(:vcpus) || @vcpus
      end

      def used = @trail&.rate(:cpu_ns)

      def cpu_share
        used && vcpus && used / vcpus
      end

      # CPUs of the host that other containers use.
      def neighbours
        all = @trail&.rate(:host_busy_ns)
        [all - used, 0.0].max if all && used
      end

      # How much of the host's CPUs was in use or stolen.
      def host_share
        all = @trail&.rate(:host_busy_ns)
        (all + stolen.to_f) / trail(:host_cpus) if all && trail(:host_cpus)
      end

      # CPUs that were wanted and that the hypervisor gave to others.
      def stolen = @trail&.rate(:steal_ns)

      # Share of the CPU time that the host used or wanted.
      def steal_share
        wanted = stolen && stolen + @trail.rate(:host_busy_ns).to_f
        stolen / wanted if wanted&.positive?
      end

      def share_of(member)
        member.cpu_share && vcpus && member.cpu_share / vcpus
      end

      # Share of the quota's periods in which it was throttled.
      def throttled_share
        periods = @trail&.grown(:periods)
        @trail.grown(:throttled_periods).fdiv(periods) if periods&.positive?
      end

      def throttled_ns
        @trail&.grown(:throttled_ns)
      end

      # What can't be given back at once (without the page cache).
      def memory_bytes
        trail(:memory_bytes) && trail(:memory_bytes) - trail(:reclaimable_bytes).to_i
      end

      def memory_limit_bytes
        trail(:memory_limit_bytes)
      end

      # Share of its limit; nil while unknown or without a limit.
      def memory_share
        memory_bytes.fdiv(memory_limit_bytes) if memory_bytes && memory_limit_bytes&.positive?
      end

      def collector_cpu_share
        @trail&.rate(:collector_cpu_ns)
      end

      def collector_bytes
        trail(:collector_rss_bytes)
      end

      def segment_bytes = trail(:segment_bytes)

      # Processes that take units at the same time.
      def processes
        [self.class.concurrent(takers).round, 1].max
      end

      # nil while vCPUs or processes are unknown (samples have whole seconds), or other applications are left
      # out.
      def ceiling
        return @loaded.ceiling if @loaded
        if vcpus && seen? && !trail(:shared)
          CpuCeiling.new(vcpus:, processes:, native_ratio: @native_ratio, other_cpus:)
        end
      end

      # CPUs used by processes that are not measured, as far as known.
      def other_cpus
        measured = ProcessReport::ServerProcesses.mean_sum(members, &:cpu_share)
        (used && measured) ? [used - measured, 0.0].max : 0.0
      end

      # Mean number of processes while there was at least one.
      def self.concurrent(members)
        covered = covered_s(members)
        covered.zero? ? members.size.to_f : members.sum(&:seconds).fdiv(covered)
      end

      def self.covered_s(members)
        end_s = 0
        members.sort_by(&:from_s).sum do |member|
          added = [member.to_s - [member.from_s, end_s].max, 0].max
          end_s = [end_s, member.to_s].max
          added
        end
      end

      protected

      attr_writer :loaded

      private

      def seen?
        takers.empty? || self.class.covered_s(takers) >= SHORT_S
      end

      def trail(key)
        @trail && @trail[key]
      end

      # Children that a process forked for a while take no units, so they do not count where others do.
      def takers
        takers = members.select(&:takes?)
        takers.empty? ? members : takers
      end

      # Users of the CPU that threads with the GVL wait for: the measured processes themselves, other
      # processes of the same container, other containers of the host, or other machines of its hypervisor.
      # Each has another remedy.
      class CpuStarvation
        # Share of the CPU time that the machine wanted.
        STOLEN = 0.02
        # CPUs; a smaller use is ignored.
        LEAST = 0.05

        def initialize(machine)
          @machine = machine
        end

        # @return [Symbol, nil] :own, :other_processes, :host, :steal; nil while unknown
        def culprit
          return :own if own && vcpus && own >= Thresholds::FULL * vcpus
          others.max_by(&:last)&.first
        end

        def own
          @machine.used && @machine.used - @machine.other_cpus
        end

        # CPUs of the culprit; nil for :own.
        def taken = others[culprit]

        def vcpus = @machine.vcpus

        private

        def others
          others = {}
          others[:other_processes] = @machine.other_cpus if contained_full?
          others[:host] = @machine.neighbours if host_full?
          others[:steal] = @machine.stolen if @machine.steal_share.to_f >= STOLEN
          others.compact.select { |_, cpus| cpus >= LEAST }
        end

        def contained_full?
          @machine.used && vcpus && @machine.used >= Thresholds::FULL * vcpus
        end

        def host_full?
          @machine.host_share.to_f >= Thresholds::FULL
        end
      end
    end

    class Machine
      # The fixed work in the turns of one arm of an experiment, which a minute's mean would mix with those of
      # the other: facts of a container's sample.
      module ArmWork
        # @param fingerprint [String] of the arm's setting
        # @return [Array(Symbol, Symbol)] names of the mean time in ns, and of the second in which that was
        def self.keys(fingerprint) = %w[ns at_s].map { |unit| :"fixed_work.#{fingerprint}.#{unit}" }
      end

      # How fast machines computed in a span of time: the CPU time of a piece of work that never changes
      # (FixedWork), the mean of each minute. Where it takes longer, so does each request of the
      # same application.
      class MachineSpeed
        # One odd minute would be a quarter of all if there were fewer.
        FEWEST = 4
        # Shares of the minutes between which speeds count, so that single minutes do not.
        USUAL = [0.1, 0.9].freeze

        # @param samples [Array<Hash{Symbol => Object}>] of processes and containers
        def self.of(samples)
          timed = samples.select { |sample| sample[:fixed_work_ns] }
          all = timed.group_by { |sample| sample[:host] }
          new(all.transform_values { |own| own.map { |sample| sample[:fixed_work_ns] } })
        end

        # @param times [Hash{String => Array<Integer>}] ns that the work took on each host
        def initialize(times = {})
          @by_host = times.select { |_, own| own.size >= FEWEST }.transform_values(&:sort)
        end

        def known? = @by_host.any?

        # @return [Float, nil] how much longer the work took in a host's slow minutes than in its fast ones,
        #   on the host where that is most: 1.2 is 20 %
        def variation
          @by_host.values.map { |times| USUAL.map { |share| at(times, share) }.reverse.inject(:fdiv) }.max
        end

        # How much longer the work took than at another time, on hosts that both times know, else on all.
        # @param earlier [MachineSpeed]
        # @return [Float, nil] 1.2 is 20 %; nil while unknown
        def slower_than(earlier)
          return unless known? && earlier.known?
          same = hosts & earlier.hosts
          median_ns(same.empty? ? hosts : same) / earlier.median_ns(same.empty? ? earlier.hosts : same)
        end

        # @return [MachineSpeed] of both times together
        def +(other)
          self.class.new(by_host.merge(other.by_host) { |_, own, others| own + others })
        end

        def hosts = @by_host.keys

        # @return [Float] geometric mean of the hosts' medians
        def median_ns(hosts)
          Math.exp(hosts.sum { |host| Math.log(at(@by_host.fetch(host), 0.5)) } / hosts.size)
        end

        protected

        attr_reader :by_host

        private

        def at(sorted, share)
          sorted[((sorted.size - 1) * share).round]
        end
      end
    end
  end
end
