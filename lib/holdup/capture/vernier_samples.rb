# frozen_string_literal: true

module Holdup
  module Capture
    # What a profile of vernier's says of threads that had the GVL: who, when, and where it was.
    class VernierSamples
      # Its category of a thread that ran; others waited, or were idle.
      RUNNING = 0
      # As many as a capture keeps of a stack.
      FRAMES = 192

      # @param result [::Vernier::Result]
      # @param ended_ns [Integer] when it ended, by CLOCK_MONOTONIC
      def initialize(result, ended_ns)
        @result = result
        @table = result._stack_table
        @ended_ns = ended_ns
        @stacks = {}
        @functions = {}
      end

      # @param known [Hash{Array => Array}] gives for a function always the same object, as long as the
      #   capture goes on
      # @return [Array<Array(Integer, Integer, Array, Boolean)>] in the order of time: `object_id` of the
      #   thread, CLOCK_MONOTONIC in ns, functions with the lines they were at, the innermost first, and
      #   whether the time is exact. A function is [name, path (nil: C code), line where it begins]
      def call(known)
        @known = known
        @result.threads.flat_map { |id, thread| ran(id, thread) }.sort_by { |_, at_ns, _| at_ns }
      end

      private

      def ran(id, thread)
        times, stacks, weights = thread.values_at(:timestamps, :samples, :weights)
        running = times.each_index.select { |index| thread[:sample_categories][index] == RUNNING }
        running.flat_map do |index|
          spread(times[index], times[index + 1] || @ended_ns, weights[index]).map { |at_ns|
            [id, at_ns, stack(stacks[index]), at_ns == times[index]]
          }
        end
      end

      # Samples of a thread that are alike it keeps as one, with the time of the first.
      def spread(from, to, count)
        Array.new(count) { |number| from + (to - from) * number / count }
      end

      def stack(number) = @stacks[number] ||= walk(number)

      def walk(number)
        frames = []
        while number && frames.size < 2 * FRAMES
          frame = @table.stack_frame_idx(number)
          frames << function(@table.frame_func_idx(frame)) << @table.frame_line_no(frame)
          number = @table.stack_parent_idx(number)
        end
        frames
      end

      def function(number)
        @functions[number] ||= @known[named(number)]
      end

      def named(number)
        path = @table.func_path(number)
        [@table.func_name(number), (path unless path.empty?), @table.func_first_lineno(number)].freeze
      end
    end
  end
end
