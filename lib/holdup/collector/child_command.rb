# frozen_string_literal: true

module Holdup
  class Collector
    # A command in a process of its own that prints an answer: for what takes memory and seconds that the
    # collector should not have. Nothing here waits, and what the child does or fails to do can't harm the
    # collector, which only looks whether there is an answer.
    class ChildCommand
      NICE = 10

      # `text`: what it printed; `status`: Process::Status, nil if the application reaped it: it waits for any
      # child
      ChildAnswer = Data.define(:text, :status)

      # @param command [Array<String>]
      # @param cpu_s [Integer] seconds of CPU after which the system ends it
      # @param most_bytes [Integer] of an answer
      def initialize(command, cpu_s:, most_bytes:)
        @command = command
        @cpu_s = cpu_s
        @most_bytes = most_bytes
      end

      # @return [Integer, nil] while it runs
      attr_reader :pid

      def running? = !@pid.nil?

      # @param environment [Hash{String => String}] of the child, in addition
      # @raise [SystemCallError]
      def start(*arguments, environment:)
        @text = +""
        output, input = IO.pipe
        environment = {"RUBY_YJIT_ENABLE" => "1", **environment}
        @pid = Process.spawn(environment, *@command, *arguments, in: File::NULL, out: input, err: File::NULL,
          rlimit_cpu: @cpu_s)
        @output = output
        lower_priority
      ensure
        input&.close
        output&.close unless @pid
      end

      # @return [ChildAnswer, nil] once, when it has ended
      def poll
        return unless running?
        read
        return unless reaped?
        read
        forget
        ChildAnswer.new(text: @text, status: @status)
      end

      # Ends it.
      def close
        return unless running?
        Process.kill(:KILL, @pid)
        Process.wait(@pid)
      rescue Errno::ESRCH, Errno::ECHILD
        nil
      ensure
        forget if running?
      end

      private

      def lower_priority
        Process.setpriority(Process::PRIO_PROCESS, @pid, NICE)
      rescue SystemCallError
        nil
      end

      def read
        while @text.bytesize < @most_bytes
          part = @output.read_nonblock(65_536, exception: false)
          break unless part.is_a?(String)
          @text << part
        end
      end

      def reaped?
        pid, @status = Process.wait2(@pid, Process::WNOHANG)
        !pid.nil?
      rescue Errno::ECHILD
        @status = nil
        true
      end

      def forget
        @output.close
        @pid = @output = nil
      end
    end
  end
end
