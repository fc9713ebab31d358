# frozen_string_literal: true

require_relative "sampler_handover"
require_relative "vernier_samples"

module Holdup
  module Capture
    # A profile of vernier's that we begin and end, where the application has loaded that gem. Its signal
    # tells of C code too while that runs.
    class VernierProfile
      INTERVAL_US = 10_000
      # What is read of a profile; earlier ones of vernier have other names.
      READ = %i[stack_parent_idx stack_frame_idx frame_func_idx frame_line_no func_name func_path
        func_first_lineno].freeze
      # They take its signal from it where they begin meanwhile, and vernier then ends the process.
      RIVALS = %i[StackProf Pf2].freeze
      STATUS = "/proc/self/status"
      TASKS = "/proc/self/task"

      class << self
        # @return [Boolean] whether it is loaded, and can be used here
        def here?
          !!defined?(::Vernier::Collector::TimeCollector) && READ.all? { |name| ::Vernier::StackTable.method_defined?(name) } &&
            RIVALS.none? { |name| Object.const_defined?(name) } && Ractor.count == 1 && ENV["RUBY_MN_THREADS"] != "1"
        end

        # @return [Boolean] whether nobody profiles by the signal that it uses
        def free?
          caught = File.binread(STATUS)[/^SigCgt:\s*(\h+)/, 1]
          !caught.nil? && caught.hex[Signal.list.fetch("PROF") - 1].zero?
        rescue Errno::ENOENT
          false
        end

        # @return [String] for people
        def title
          "vernier #{::Vernier::VERSION}"
        end

        # @yield before any profile of vernier's begins, on the thread that begins it. There is no way back
        # @return [void]
        def before_each(&told)
          ::Vernier::Collector::TimeCollector.prepend(SamplerHandover.new(told))
        end
      end

      # @return [Integer] CPU time of its own thread, in ns; known once it has ended
      attr_reader :cpu_ns

      def initialize
        @collector = ::Vernier::Collector.new(:wall, {interval: INTERVAL_US, gc: false})
        @cpu_ns = 0
      end

      # @return [void]
      def start
        before = tasks
        @collector.start
        @task = (tasks - before).first
      end

      # @return [VernierSamples]
      # @raise [RuntimeError] it does not run
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
