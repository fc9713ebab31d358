# frozen_string_literal: true

module Holdup
  module Timeline
    module Export
      # Collects trace events of one process (Trace Event Format): tracks one below the other, slices on them, arrows.
      # Times come in ns and are written in µs, as the format has them.
      class TraceEvents
        # @return [Array<Hash>]
        attr_reader :to_a

        # @param pid [Integer]
        # @param name [String] of the process
        def initialize(pid, name)
          @pid = pid
          @tracks = 0
          @arrows = 0
          @to_a = [metadata("process_name", 0, name:)]
        end

        # @param name [String]
        # @return [Integer] the new track, below those before
        def track(name)
          tid = @tracks += 1
          @to_a.push(metadata("thread_name", tid, name:), metadata("thread_sort_index", tid, sort_index: tid))
          tid
        end

        # @param args [Hash] what is shown of it; nil is left out
        # @return [void]
        def slice(tid, name, from_ns, to_ns, category:, **args)
          @to_a << {ph: "X", pid: @pid, tid:, name:, cat: category, ts: us(from_ns), dur: us(to_ns - from_ns), args: args.compact}
        end

        # @return [void]
        def arrow(name, from_tid, from_ns, to_tid, to_ns)
          id = @arrows += 1
          common = {pid: @pid, name:, cat: "wait", id:}
          @to_a.push({ph: "s", tid: from_tid, ts: us(from_ns), **common}, {ph: "f", bp: "e", tid: to_tid, ts: us(to_ns), **common})
        end

        private

        def metadata(name, tid, **args) = {ph: "M", pid: @pid, tid:, name:, args:}

        def us(ns) = ns / 1000.0
      end
    end
  end
end
