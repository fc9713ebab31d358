# frozen_string_literal: true

require_relative "../hooks/method_hook"

module Holdup
  module Capture
    # Samples in a vernier profile of threads that had the GVL: thread, time and place.
    class VernierSamples
      # Vernier's category of a running thread; others waited or were idle.
      RUNNING = 0
      # Frames that a capture keeps of a stack.
      FRAMES = 192

      # @param ended_ns [Integer] its end, by CLOCK_MONOTONIC
      def initialize(result, ended_ns)
        @result = result
        @table = result._stack_table
        @ended_ns = ended_ns
        @stacks = {}
        @functions = {}
      end

      # @param known [Hash{Array => Array}] gives the same object for a function throughout the capture
      # @return [Array<Array(Integer, Integer, Array, Boolean)>] in order of time: `object_id` of the thread,
      #   CLOCK_MONOTONIC in ns, functions with their current lines, innermost first, and whether the time is
      #   exact. A function is [name, path (nil: C code), line where it begins]
      def call(known)
        @known = known
        @result.threads.flat_map { |id, thread| ran(id, thread) }.sort_by { |_, at_ns, _| at_ns }
      end

      private

      def ran(id, thread)
        times, stacks, weights = thread.values_at(:timestamps, :samples, :weights)
        running = times.each_index.select { |index| thread[:sample_categories][index] == RUNNING }
        running.flat_map do |index|
          moments = spread(times[index], times[index + 1] || @ended_ns, weights[index])
          moments.map { |at_ns| [id, at_ns, stack(stacks[index]), at_ns == times[index]] }
        end
      end

      # Vernier merges equal samples of a thread, with the time of the first.
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

    # A vernier profile that we begin and end, where the application has loaded the gem. Its signal also
    # samples C code while that runs.
    class VernierProfile
      INTERVAL_US = 10_000
      # Fields that we read of a profile; earlier versions of vernier have other names.
      READ = %i[stack_parent_idx stack_frame_idx frame_func_idx frame_line_no func_name func_path
        func_first_lineno].freeze
      # If they begin meanwhile they take vernier's signal, and vernier then ends the process.
      RIVALS = %i[StackProf Pf2].freeze
      STATUS = "/proc/self/status"
      TASKS = "/proc/self/task"

      class << self
        def here?
          return false unless defined?(::Vernier::Collector::TimeCollector)
          READ.all? { |name| ::Vernier::StackTable.method_defined?(name) } &&
            RIVALS.none? { |name| Object.const_defined?(name) } &&
            Ractor.count == 1 && !RubyVersion.shares_native_threads?(ENV)
        end

        def free?
          caught = File.binread(STATUS)[/^SigCgt:\s*(\h+)/, 1]
          !caught.nil? && caught.hex[Signal.list.fetch("PROF") - 1].zero?
        rescue Errno::ENOENT
          false
        end

        def title
          "vernier #{::Vernier::VERSION}"
        end

        # @yield before any vernier profile begins, on the thread that begins it. It can't be undone
        # @return [Boolean] false where vernier can't be hooked
        def before_each(&callback)
          Hooks::MethodHook.new(::Vernier::Collector::TimeCollector, :start, by: callback,
            constants: {HoldupSampler: callback}) { |method| "HoldupSampler.call\n#{method.call}" }.install
        end
      end

      # CPU time of its own thread in ns, known after its end.
      attr_reader :cpu_ns

      def initialize
        @collector = ::Vernier::Collector.new(:wall, {interval: INTERVAL_US, gc: false})
        @cpu_ns = 0
      end

      def start
        before = tasks
        @collector.start
        @task = (tasks - before).first
      end

      # @raise [RuntimeError] it is not running
      def stop
        @cpu_ns = cpu_of_task
        ended_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
        VernierSamples.new(@collector.stop, ended_ns)
      end

      private

      def tasks = Dir.children(TASKS)

      def cpu_of_task
        File.read("#{TASKS}/#{@task}/schedstat").to_i
      rescue SystemCallError
        0
      end
    end
  end
end
