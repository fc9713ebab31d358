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
      # A computation over a recording is given up after LONGEST_S, and may use the CPU for CPU_S.
      LONGEST_S = 300
      CPU_S = 120
      # It is short and computes a lot. The environment has no other JIT.
      JIT = {"RUBY_YJIT_ENABLE" => "1"}.freeze
      # The end of its messages is kept: this many bytes.
      MOST_OF_MESSAGES = 4_096
      PARTS = 16

      # `text`: what it printed; `status`: Process::Status, nil if the application reaped it: it waits for any
      # child; `messages`: the end of what it wrote to its standard error
      ChildAnswer = Data.define(:text, :status, :messages) do
        # @return [String] how it ended and, in its own words, why
        def why
          ended = status&.to_s&.sub(/\Apid \d+ /, "") || "reaped elsewhere"
          said = ChildCommand.last_words(messages)
          "(#{ended}); #{said ? "it said: #{said}" : "run it by hand to see why"}"
        end
      end

      # Further lines of a backtrace: only its first line has the message.
      CALLER = /\A\s*(from )?\S+:\d+:in [`'][^']*'\s*\z/
      LONGEST_LINE = 300

      # @param text [String] what a program wrote to its standard error
      # @return [String, nil] its last line that is no backtrace
      def self.last_words(text)
        lines = text.scrub("?").lines.map { |line| line.gsub(/[[:cntrl:]]/, " ").strip }
        lines.reject { |line| line.empty? || CALLER.match?(line) }.last&.slice(0, LONGEST_LINE)
      end

      # @param command [Array<String>]
      # @param cpu_s [Integer] seconds of CPU after which the system ends it
      # @param most_bytes [Integer] of an answer
      def initialize(command, cpu_s:, most_bytes:)
        @launch = ChildLaunch.new(command)
        @cpu_s = cpu_s
        @most_bytes = most_bytes
      end

      # @return [Integer, nil] while it runs
      attr_reader :pid

      def running? = !@pid.nil?

      # @param environment [Hash{String => String}] of the child, in addition
      # @raise [SystemCallError, ChildLaunch::Gone]
      def start(*arguments, environment:)
        launch = @launch.call(*arguments)
        @text = +""
        @messages = +""
        output, input = IO.pipe
        errors, errors_input = IO.pipe
        @pid = Process.spawn({**launch.environment, **JIT, **environment}, *launch.command, in: File::NULL,
          out: input, err: errors_input, rlimit_cpu: @cpu_s, **launch.options)
        @output = output
        @errors = errors
        lower_priority
      ensure
        [input, errors_input, *([output, errors] unless @pid)].compact.each(&:close)
      end

      # @return [ChildAnswer, nil] once, when it has ended
      def poll
        return unless running?
        read
        return unless reaped?
        read
        forget
        @launch.failed if @status&.exited? && !@status.success?
        ChildAnswer.new(text: @text, status: @status, messages: @messages)
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
        while @text.bytesize < @most_bytes && (part = part_of(@output))
          @text << part
        end
        # Read whenever there is something, because a full pipe would make the child wait. Bounded, because a
        # child may write faster than this reads.
        PARTS.times do
          part = part_of(@errors) or break
          all = @messages + part
          @messages = all.byteslice(-MOST_OF_MESSAGES, MOST_OF_MESSAGES) || all
        end
      end

      # @return [String, nil]
      def part_of(output)
        part = output.read_nonblock(65_536, exception: false)
        part if part.is_a?(String)
      end

      def reaped?
        pid, @status = Process.wait2(@pid, Process::WNOHANG)
        !pid.nil?
      rescue Errno::ECHILD
        @status = nil
        true
      end

      def forget
        [@output, @errors].each(&:close)
        @pid = @output = @errors = nil
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
      rescue SystemCallError, ChildLaunch::Gone => error
        warn_once("it could not be started (#{error.message})")
      end

      def ended(answer)
        @spent_s = children_s - @cpu_s
        found = JSON.parse(answer.text, symbolize_names: true)
        raise JSON::ParserError unless found.is_a?(Hash)
        @warned = nil
        found
      rescue JSON::ParserError
        warn_once("`#{@by_hand}` gave no answer #{answer.why}")
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
