# frozen_string_literal: true

module Holdup
  module Sizing
    # A deployment that might be better: on one host, so many processes with so many threads each, and perhaps
    # others (`pool`) for some of the units. `threads` are all of a process; `beside`: of these, those of
    # other pools than the one that is sized, which stay as they are; `company`: of those, the ones that take
    # units of the other kind.
    Candidate = Data.define(:processes, :threads, :io_threads, :time_slice_ns, :beside, :company, :pool) do
      # @param recording [#processes, #threads, #time_slice_ns, #pools]
      # @return [Candidate] as it was recorded
      def self.of(recording)
        new(**%i[processes threads time_slice_ns].to_h { |name| [name, recording.public_send(name)] },
          beside: recording.pools.beside, company: recording.pools.company)
      end

      def initialize(processes:, threads:, io_threads: 0, time_slice_ns: Scenario::TIME_SLICE_NS, beside: [],
        company: [], pool: nil)
        super
      end

      # @return [Array<Candidate>] each as if it were alone
      def groups
        pool ? [with(pool: nil), pool] : [self]
      end

      # @return [Array<Integer>] threads of each pool of a process, the one that is sized first
      def caps = [threads - beside.sum, *beside]

      # @return [Integer] threads of a process that take units of the kind that is sized
      def own_threads = threads - company.sum

      # @return [Boolean] whether pools share a GVL
      def shared?
        groups.any? { |group| group.beside.any? }
      end

      # @return [Integer] units that can be in threads at once; each may have a connection
      def slots
        groups.sum { |group| group.processes * (group.threads + group.io_threads) }
      end

      # @param other [Candidate]
      # @return [Array<Symbol>] what a person has to turn to get there
      def differences(other)
        members.select { |name| public_send(name) != other.public_send(name) }
      end

      # How little there is to turn, and how small what results: the first of a sorted list is the smallest
      # change. For threads for io the application has to be changed as well: it says which requests they are
      # for.
      # @param other [Candidate] what there is now
      # @return [Array<Integer>]
      def effort(other)
        [differences(other).size + ((io_threads > other.io_threads) ? 1 : 0), threads, processes,
          (time_slice_ns - other.time_slice_ns).abs]
      end

      # @return [Scenario]
      def scenario(**options)
        Scenario.new(
groups: groups.map { |one| Scenario::ProcessGroup.new(**one.to_h.except(:company, :pool)) }, **options
)
      end
    end
  end
end
