# frozen_string_literal: true

module Holdup
  module Analysis
    # What the collector's samples say about processes and the containers they are in. Pure: samples in,
    # figures out.
    #
    #   processes = ProcessReport.new(store.processes(from, to), from_s: from, to_s: to)
    #   processes.machines.first.ceiling.range
    class ProcessReport
      # The pool of requests; where a server runs jobs too, these have pools of their own.
      WEB = "web"
      # What pools of database connections are called: they take no units.
      CONNECTIONS = "db "

      # Between two samples of a process, unless they were thinned out.
      EVERY_S = 60
      # How many samples of a process are enough to see a span by, and how long a store keeps them.
      POINTS = 60
      KEPT_S = 48 * 3600

      # @param samples [Array<Hash{Symbol => Object}>] of Store#processes
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param every_s [Integer] seconds between two samples
      # @param native_ratio [Float] see CpuCeiling
      # @param settings [Hash{String => Setting}] by fingerprint, where samples of a container are missing
      # @param loaded [ProcessReport, nil] the same while units ran, of which CPU ceilings are made; nil:
      #   these
      def initialize(samples, from_s:, to_s:, every_s: EVERY_S, native_ratio: 0.0, settings: {}, loaded: nil)
        @samples = samples.sort_by { |sample| sample[:at_s] }
        @span = {from_s:, to_s:, every_s:}
        @native_ratio = native_ratio
        @settings = settings
        @loaded = loaded
      end

      # @return [Integer, nil] for Store#processes: so far apart are samples of a long span to be read; nil:
      #   read them all
      def self.every_s(from_s, to_s)
        every_s = [to_s - from_s, KEPT_S].min / POINTS
        every_s if every_s > EVERY_S
      end

      # @return [Array<MeasuredProcess>] one per process, by host and server
      def members
        @members ||= measured.map { |trail| MeasuredProcess.of(trail, **@span) }
          .sort_by { |member| [member.host.to_s, member.server.to_s, member.name.to_s, member.pid] }
      end

      # @return [Array<Machine>] one per host with processes
      def machines
        @machines ||= members.group_by(&:host).map do |host, same|
          Machine.new(host:, trail: containers[host], members: same, native_ratio: @native_ratio, vcpus: vcpus(same),
            loaded: @loaded&.machine(host))
        end
      end

      # @param host [String]
      # @return [Machine, nil]
      def machine(host)
        machines.find { |machine| machine.host == host }
      end

      # @return [Machine, nil] the one with the fewest vCPUs: what it can't do, not all can
      def smallest_machine
        machines.min_by { |machine| machine.vcpus || Float::INFINITY }
      end

      # @return [ProcessTimeSeries] of the processes
      def course
        ProcessTimeSeries.new(measured, every_s: @span[:every_s])
      end

      # @return [ProcessTimeSeries] of their containers; CPU shares are of one core there too
      def containers_course
        ProcessTimeSeries.new(containers.values, every_s: @span[:every_s])
      end

      # @return [ConnectionUse] of all of them
      def connections = ConnectionUse.new(members)

      # @return [Array<ServerProcesses>] processes of one server together, most CPU first
      def groups
        @groups ||= members.group_by(&:server).map { |server, same|
          ServerProcesses.new(server:,
            processes: same)
        }
          .sort_by { |group|
          [-group.cpu_share.to_f, group.server.to_s]
        }
      end

      # @return [Array<PoolThreads>] pools of the same server and name in all processes, most busy first
      def pools
        @pools ||= pools_by_name
          .map { |(server, name), found| PoolThreads.of(server, name, found) }
          .sort_by { |threads| [-threads.busy.to_f, threads.name] }
      end

      private

      def pools_by_name
        members
          .flat_map { |member| unit_pools(member) }
          .group_by { |member, pool| [member.server, pool.name] }
      end

      def unit_pools(member)
        member.pools.select { |pool| pool.max != 0 && pool.takes?(nil) }.map { |pool| [member, pool] }
      end

      def measured
        @measured ||= SampleTrail.all(@samples.reject { |sample| SampleTrail.container?(sample) })
      end

      def containers
        @containers ||= SampleTrail.all(@samples.select { |sample| SampleTrail.container?(sample) }).to_h { |trail|
          [trail[:host], trail]
        }
      end

      def vcpus(members)
        members.filter_map { |member| @settings[member.setting]&.[]("vcpus") }.last
      end
    end
  end
end
