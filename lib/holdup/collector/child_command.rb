# frozen_string_literal: true

require "json"
require "rbconfig"

module Holdup
  class Collector
    # A command in a process of its own that prints an answer: for what takes memory and seconds that the
    # collector should not have. Nothing here waits, and what the child does or fails to do can't harm the
    # collector, which only looks whether there is an answer.
    class ChildCommand
      HOLDUP = [RbConfig.ruby, File.expand_path("../../../exe/holdup", __dir__)].freeze
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

    # A command that is run now and then, within a share of a core.
    class ChildCommand::RecurringCommand
      # @param what [String] that is missing without an answer, and `by_hand`, the command, for messages
      # @param longest_s [Integer] after which it is ended
      # @param every_s [Integer] until the next attempt after a failure
      # @param first_s [Integer] second from which on it may run
      def initialize(child, what:, by_hand:, longest_s:, every_s:, log:, clock:, first_s: clock.realtime_s)
        @child = child
        @what = what
        @by_hand = by_hand
        @longest_s = longest_s
        @every_s = every_s
        @log = log
        @clock = clock
        @due_s = first_s
      end

      # Starts it when it is due. Never waits.
      # @return [Hash{Symbol => Object}, nil] what it says as JSON, once it has ended
      def poll(*options, environment:)
        if @child.running?
          answer = @child.poll
          return ended(answer) if answer
          give_up if @clock.realtime_s > @started_s + @longest_s
        elsif @clock.realtime_s >= @due_s
          start(options, environment)
        end
        nil
      end

      # @param seconds [Numeric] from one start to the next, at least
      # @param share [Float] of one core, at most: after a run that cost more, the next one comes later
      def rest(seconds, share:)
        @due_s = @started_s + [seconds, @spent_s / share].max
      end

      def close = @child.close

      private

      def start(options, environment)
        @started_s = @clock.realtime_s
        @due_s = @started_s + @every_s
        @cpu_s = children_s
        @child.start(*options, environment:)
      rescue SystemCallError => error
        warn_once("it could not be started (#{error.message})")
      end

      def ended(answer)
        @spent_s = children_s - @cpu_s
        found = JSON.parse(answer.text, symbolize_names: true)
        raise JSON::ParserError unless found.is_a?(Hash)
        @warned = nil
        found
      rescue JSON::ParserError
        status = answer.status&.to_s&.sub(/\Apid \d+ /, "") || "reaped elsewhere"
        warn_once("`#{@by_hand}` gave no answer (#{status}); run it by hand to see why")
      end

      def give_up
        close
        @due_s = @started_s + @every_s
        warn_once("`#{@by_hand}` took longer than #{@longest_s} s")
      end

      # @return [nil]
      def warn_once(reason)
        @log.warn("#{@what}: #{reason}") unless reason == @warned
        @warned = reason
        nil
      end

      # CPU of all children that have ended.
      def children_s
        times = Process.times
        times.cutime + times.cstime
      end
    end
  end
end
