# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # A deployment that might be better: on one host, processes with threads each, and perhaps others
      # (`pool`) for some units. `threads`: all of a process; `other_threads`: those of them in pools that are
      # not sized, which stay as they are; `concurrent_threads`: those of them that take units of the other
      # kind.
      Candidate = Data.define(
        :processes, :threads, :io_threads, :time_slice_ns, :other_threads, :concurrent_threads, :pool
      ) do
        def self.of(recording)
          pools = recording.pools
          new(processes: recording.processes, threads: recording.threads,
            time_slice_ns: recording.time_slice_ns, other_threads: pools.other_threads,
            concurrent_threads: pools.concurrent_threads)
        end

        def initialize(processes:, threads:, io_threads: 0, time_slice_ns: Scenario::TIME_SLICE_NS,
          other_threads: [], concurrent_threads: [], pool: nil)
          super
        end

        # Each group as if it were alone.
        def groups
          pool ? [with(pool: nil), pool] : [self]
        end

        # @return [Array<Integer>] threads of each pool of a process, the one that is sized first
        def caps
          [threads - other_threads.sum, *other_threads]
        end

        # @return [Integer] threads of a process that take units of the kind that is sized
        def own_threads
          threads - concurrent_threads.sum
        end

        def shared?
          groups.any? { |group| group.other_threads.any? }
        end

        # @return [Integer] units that can be in threads at once; each may have a connection
        def slots
          groups.sum { |group| group.processes * (group.threads + group.io_threads) }
        end

        # @return [Array<Symbol>] settings that have to change to get there
        def differences(other)
          members.select { |name| public_send(name) != other.public_send(name) }
        end

        # Sorts candidates by the number of changes from `other`, then by size: the smallest change is first.
        # Threads for io count as one more change, because the application has to mark the requests.
        def effort(other)
          [differences(other).size + ((io_threads > other.io_threads) ? 1 : 0), threads, processes,
            (time_slice_ns - other.time_slice_ns).abs]
        end

        def scenario(**options)
          process_groups = groups.map do |group|
            Scenario::ProcessGroup.new(**group.to_h.except(:concurrent_threads, :pool))
          end
          Scenario.new(groups: process_groups, **options)
        end
      end
    end
  end
end
