# frozen_string_literal: true

module Holdup
  module Sizing
    # What a host and its database allow. An unknown limit is nil, and guards nothing.
    #
    # - `vcpus`: of a host; `others`: what other processes use of them; `hindering`: the part of that which
    #   is missing when a process wants a CPU, see SelfTest::FreeCpus; `hosts`: how many run the same
    # - `memory_limit_bytes`, `base_bytes` (the rest of the container), `process_bytes` (of one process now),
    #   `thread_bytes`: of one more thread
    # - `pool`: connections that a process may have; `outside`: how many of them threads without units keep
    # - `connections`: this application's share of the server's; `other_connections`: those of threads that
    #   are not sized (of jobs, if requests are sized)
    ResourceLimits = Data.define(
      :vcpus, :others, :hindering, :hosts, :memory_limit_bytes, :base_bytes, :process_bytes, :thread_bytes,
      :pool, :outside, :connections, :other_connections
    ) do
      def initialize(vcpus:, others: OtherCpus::NONE, hindering: 1.0, hosts: 1, memory_limit_bytes: nil,
        base_bytes: 0, process_bytes: nil, thread_bytes: self.class::THREAD_BYTES, pool: nil, outside: 0.0,
        connections: nil, other_connections: 0)
        super
      end

      # @param machine [Machine, nil] the smallest host
      # @param given [Hash] values from the user: vcpus, memory_limit_bytes, connections, pool, hosts
      def self.of(machine, processes:, **given)
        known = given.compact
        each = machine && process_bytes(machine.members.select(&:takes?))
        total = machine&.memory_bytes
        base = (total && each) ? [total - each * processes, 0].max : 0
        new(vcpus: machine&.vcpus, others: OtherCpus.always(machine ? machine.other_cpus : 0.0),
          memory_limit_bytes: machine&.memory_limit_bytes, base_bytes: base, process_bytes: each, **known)
      end

      # The large ones decide: PSS counts shared pages once, and if only RSS is known that is the safe side.
      def self.process_bytes(members)
        known = members.filter_map { |member| member.pss_bytes || member.rss_bytes }.sort
        known[((known.size - 1) * self::LARGE).ceil] if known.any?
      end
      private_class_method :process_bytes

      # vCPUs that others leave; if they use nearly all, one process still gets its share.
      # @param rate [Float, nil] units per second of a host; nil: as recorded
      def free_vcpus(rate = nil)
        taken = hindering * (rate ? others.at(rate) : others.mean)
        [vcpus - taken, vcpus / (1 + taken)].max.to_f
      end

      # @param free_vcpus [Float] that were available in the recording when a process wanted one
      def fitted(free_vcpus)
        return self unless others.mean.positive?
        with(hindering: ((vcpus - free_vcpus) / others.mean).clamp(0.0, 1.0))
      end

      # @param current [Candidate] its processes were measured
      # @return [Integer, nil] bytes of a host
      def memory(candidate, current:)
        return unless process_bytes
        base_bytes + candidate.groups.sum { |group| group.processes * process(group, current) }
      end

      # @return [Integer] connections of all hosts together, when each thread keeps one
      def connections_of(candidate)
        hosts * candidate.slots + other_connections
      end

      private

      def process(group, current)
        more_threads = group.threads + group.io_threads - current.threads
        [process_bytes + more_threads * thread_bytes, thread_bytes].max
      end
    end

    # A Ruby thread with its stacks and a request's garbage, if not measured: one benchmark took 3.4 MB.
    ResourceLimits::THREAD_BYTES = 4_000_000
    ResourceLimits::LARGE = 0.95
  end
end
