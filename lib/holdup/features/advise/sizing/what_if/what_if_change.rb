# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      class WhatIf
      end

      # Changes against the present; nil, {} and 1.0 mean "as it is". Names are globs.
      #
      # - `threads`, `processes`, `time_slice_ns`, `vcpus`; `factor`: of the recorded load
      # - `without`: units that go elsewhere; `halved`: units that take the GVL half as often
      # - `mix`: {glob => share of all units}; the others share the rest as now
      # - `own_pool`: OwnPool or OwnThreads, units with their own processes, or threads in the same process
      # - `priorities`: {glob => Thread#priority} of their threads: each step below 0 halves the time slice
      # - `io`: units whose threads don't count against the cap, up to `io_threads` (Puma 8's max_io_threads)
      WhatIf::WhatIfChange = Data.define(:threads, :processes, :time_slice_ns, :vcpus, :factor, :without,
        :halved, :mix, :own_pool, :priorities, :io, :io_threads) do
        def initialize(threads: nil, processes: nil, time_slice_ns: nil, vcpus: nil, factor: 1.0,
          without: nil,
          halved: nil, mix: {}, own_pool: nil, priorities: {}, io: nil, io_threads: nil)
          super
        end

        def names = [without, *kept].compact.uniq

        def removes?(name) = match?(without, name)

        def halves?(name) = match?(halved, name)

        # Whether units of that name leave the rest: gone, elsewhere, or with their own share.
        def claims?(name)
          [without, own_pool&.name, *mix.keys].any? { |glob| match?(glob, name) }
        end

        def touches?(name)
          names.any? { |glob| match?(glob, name) }
        end

        # @return [Array<String>] globs that match no unit left by `without` or by an earlier glob
        def overruled(series)
          kept.compact.uniq.reject { |glob| series.any? { |name| reaches?(glob, name) } }
        end

        # @return [Array<Symbol>] changes that Ruby (:slice) or the server (:io, :threads) does not support
        def unsupported(deployment)
          found = []
          found << :slice if time_slice_ns && !deployment.slices?
          found << :io if io_threads && !deployment.knows_io_threads?
          found << :threads if threads.to_i > 1 && !deployment.threaded?
          found
        end

        def marks?
          !own_pool.nil? || priorities.any? || !io.nil?
        end

        # The unit with its group and pool, time slice and io flag, after the change.
        def mark(unit, name, candidate)
          placed = match?(own_pool&.name, name) ? own_pool.place(unit, candidate) : unit
          placed.with(io: match?(io, name), slice_ns: slice(name, candidate.time_slice_ns))
        end

        # Whether only threads, processes or the time slice change.
        def sizes_only?
          with(threads: nil, processes: nil, time_slice_ns: nil) == self.class.new
        end

        # @raise [UsageError] for fewer threads than other pools of the process have
        def candidate(now)
          all = threads && threads + now.concurrent_threads.sum
          if all && all <= now.other_threads.sum
            raise UsageError.new("#{threads} threads leave none for this pool",
              "the other pools of a process have #{now.other_threads.join(" + ")}")
          end
          changed = now.with(**{threads: all, processes:, time_slice_ns:, io_threads:}.compact)
          own_pool ? own_pool.with_others(changed) : changed
        end

        private

        def kept
          [halved, *mix.keys, own_pool&.name, *priorities.keys, io]
        end

        def reaches?(glob, name)
          return false if removes?(name) || !match?(glob, name)
          [mix, priorities].all? do |each|
            !each.key?(glob) || each.keys.find { |first| match?(first, name) } == glob
          end
        end

        def match?(glob, name)
          !glob.nil? && File.fnmatch?(glob, name)
        end

        def slice(name, slice_ns)
          _, priority = priorities.find { |glob, _| match?(glob, name) }
          priority ? Scenario::ThreadPriority.slice_ns(slice_ns, priority) : 0
        end
      end
    end
  end
end
