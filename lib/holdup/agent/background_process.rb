# frozen_string_literal: true

require_relative "probe"

module Holdup
  # A process of ours next to the application. It is no child that the application's own waits (`Process.wait`
  # without a pid, `Process.waitall`) find or wait for, its end sends no SIGCHLD, and it leaves no zombie (see
  # ext/holdup/process/process_watcher.c). Without the C extension it is an ordinary child.
  class BackgroundProcess
    # How it ended, as far as it is known.
    #
    # - `exit_status`: nil when a signal ended it; `signal`: number, or nil
    Ended = Data.define(:exit_status, :signal) do
      def failed? = exit_status.to_i.positive?

      def to_s
        return "SIG#{Signal.signame(signal)} (signal #{signal})" if signal
        exit_status ? "exit #{exit_status}" : "nobody knows how"
      end
    end

    # A report has two int32.
    REPORT_BYTES = 8
    KILLED = -1

    class << self
      # @param launch [ChildLaunch::Launch] whose program is a path
      # @param input [IO] becomes its standard input
      # @param env [#to_h] of this process
      # @raise [SystemCallError] it can't be started
      def start(launch, input:, env: ENV)
        return Child.new(launch, input) unless defined?(ProcessWatcher)
        new(launch, input, env)
      end
    end

    attr_reader :pid

    def initialize(launch, input, env)
      @report, report = IO.pipe
      environment = env.to_h.merge(launch.environment).compact.map { |name, value| "#{name}=#{value}" }
      @watcher = ProcessWatcher.start(launch.command, environment, launch.options[:chdir], input.fileno,
        report.fileno)
      report.close
      @pid = started(launch.command.first)
    ensure
      report&.close
    end

    # Waits for its end.
    # @return [Ended]
    def wait
      exit_status, signal = receive
      forget # not when the waiting thread is killed before: the watcher lives on
      exit_status = nil if exit_status == KILLED
      signal = nil if signal&.zero?
      Ended.new(exit_status:, signal:)
    end

    private

    def started(program)
      pid, error = receive
      return pid if pid&.positive?
      forget
      raise SystemCallError.new(program, error)
    end

    # @return [Array<Integer>, nil] nil when the watcher is gone
    def receive = @report.read(REPORT_BYTES)&.unpack("l2")

    def forget
      @report.close
      ProcessWatcher.reap(@watcher)
    end

    # The process of a program that waits for its own children only.
    class Child
      attr_reader :pid

      def initialize(launch, input)
        @pid = Process.spawn(launch.environment, *launch.command, in: input, out: File::NULL,
          close_others: true, **launch.options)
      end

      def wait
        status = Process.wait2(@pid).last
        Ended.new(exit_status: status.exitstatus, signal: status.termsig)
      rescue Errno::ECHILD # another thread waits for any child
        Ended.new(exit_status: nil, signal: nil)
      end
    end
  end
end
