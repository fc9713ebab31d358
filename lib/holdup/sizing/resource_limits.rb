# frozen_string_literal: true

module Holdup
  module Sizing
    # What a host and its database allow. What nobody knows is nil, and guards nothing.
    #
    # - `vcpus`: of a host; `beside`: how many of them what is not measured uses (a database, a proxy, a
    #   client); `free`: how many are there when one is wanted, see SelfTest::FreeCpus, nil: what others leave
    #   on average; `hosts`: how many run the same
    # - `memory_limit_bytes`, `base_bytes` (what else is in the container), `process_bytes` (of one process as
    #   it is now), `thread_bytes`: what one more thread takes
    # - `pool`: connections that a process may have, `outside`: of these, how many threads keep that run no
    #   units
    # - `connections`: this application's share of what the server allows; `other_connections`: what threads
    #   beside those in question may have of it (of jobs, where requests are sized)
    ResourceLimits = Data.define(
      :vcpus, :beside, :free, :hosts, :memory_limit_bytes, :base_bytes, :process_bytes, :thread_bytes, :pool,
      :outside, :connections, :other_connections
    ) do
      def initialize(vcpus:, beside: 0.0, free: nil, hosts: 1, memory_limit_bytes: nil, base_bytes: 0,
        process_bytes: nil, thread_bytes: self.class::THREAD_BYTES, pool: nil, outside: 0.0, connections: nil,
        other_connections: 0)
        super
      end

      # @param machine [Machine, nil] the host that has least
      # @param processes [Integer] on it
      # @param given [Hash] what the user knows better: vcpus, memory_limit_bytes, connections, pool, hosts
      def self.of(machine, processes:, **given)
        known = given.compact
        each = machine && process_bytes(machine.members.select(&:takes?))
        total = machine&.memory_bytes
        base = (total && each) ? [total - each * processes, 0].max : 0
        new(vcpus: machine&.vcpus, beside: machine ? machine.beside : 0.0,
          memory_limit_bytes: machine&.memory_limit_bytes, base_bytes: base, process_bytes: each, **known)
      end

      # The large ones decide: shared pages are counted once in PSS, and where only RSS is known that is the
      # safe side.
      def self.process_bytes(members)
        known = members.filter_map { |member| member.pss_bytes || member.rss_bytes }.sort
        known[((known.size - 1) * self::LARGE).ceil] if known.any?
      end
      private_class_method :process_bytes

      # What others leave; but where they use nearly all, one process that wants a CPU still gets its share.
      # @return [Numeric] vCPUs that are left
      def free_vcpus
        free || [vcpus - beside, vcpus / (1 + beside)].max
      end

      # @param current [Candidate] whose processes were weighed
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

    # What a Ruby thread with its stacks and a request's garbage takes, where it was not measured: 3.4 MB were
    # in one benchmark.
    ResourceLimits::THREAD_BYTES = 4_000_000
    ResourceLimits::LARGE = 0.95
  end
end
