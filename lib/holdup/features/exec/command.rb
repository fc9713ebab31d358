# frozen_string_literal: true

module Holdup
  module Exec
    # Runs a command with Holdup in every Ruby that it starts, and a collector. The application stays
    # unchanged and needs no Holdup in its Gemfile: RUBYOPT loads one small file first.
    class Command
      # A shell's exit statuses for a command that it can't find or may not run.
      NOT_FOUND = 127
      NOT_ALLOWED = 126

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup exec [options] -- command [arguments]", [
        CLI::Options::STORE,
        CLI::Options::DIR,
        Queries::Option.switch("--no-collector", "when `holdup collect` runs elsewhere", value: false,
          key: :collector)
      ], rest: :command)

      # @param command [Array<String>] the program and its arguments
      # @param collector [Boolean] whether to start one
      def initialize(console:, command:, store: nil, dir: nil, collector: true)
        @console = console
        @command = command
        @store = CLI::Places.named_store(console.env, store)
        @dir = CLI::Places.directory(console.env, dir)
        @collector = collector
      end

      # @return [Integer] the command's exit status; 128 + n when signal n ended it
      def run
        check
        supervisor&.start
        ForwardedCommand.new(@command, environment).run
      rescue Errno::ENOENT, Errno::EACCES => error
        say("can't run #{@command.first[0, 200]}: #{error.message}; check the command after --")
        error.is_a?(Errno::ENOENT) ? NOT_FOUND : NOT_ALLOWED
      ensure
        finish
      end

      # @return [Hash{String => String}] what the command's environment gets
      def environment
        {**BootOptions.new(@console.env).to_h, "HOLDUP_DIR" => @dir, "HOLDUP_STORE" => @store,
         "HOLDUP_SUPERVISED" => "1"}.compact
      end

      private

      def check
        if @command.empty?
          raise UsageError.new("exec needs a command", "for instance `holdup exec -- bin/rails server`")
        end
        BootOptions.check
      end

      def supervisor
        return unless @collector
        @supervisor ||= Runtime::CollectorSupervisor.new(dir: @dir, store: @store, log: method(:say))
      end

      # A command may exit before its collector is up; this collects its segments.
      def finish
        return unless @supervisor
        @supervisor.stop
        return if @supervisor.unloadable? || Dir.glob("*.segment", base: @dir).empty?
        Collector::Command.new(console: @console, store: @store, dir: @dir, once: true, quietly: true).run
      rescue Error => error
        say(error.message)
      end

      def say(message)
        @console.err.puts("holdup: #{message}")
      end

      # Runs the command, forwards every signal to it and returns its exit status. Holdup stays its parent
      # because a container stops only its first process, and because the collector must see the end.
      class ForwardedCommand
        # Signals that servers and job runners handle: URG (Puma reforks), TSTP (Sidekiq goes quiet), WINCH,
        # PWR ...
        SIGNALS = (%w[INT TERM HUP QUIT USR1 USR2 TTIN TTOU URG TSTP WINCH PWR] & Signal.list.keys).freeze
        # The terminal sends these to the whole foreground group; a second one makes servers exit at once.
        FROM_TERMINAL = %w[INT QUIT TSTP WINCH].freeze

        # @param environment [Hash{String => String}] added to the current environment
        def initialize(command, environment)
          @command = command
          @environment = environment
          @early = []
        end

        # @raise [SystemCallError] the command can't start
        def run
          previous = SIGNALS.to_h { |signal| [signal, trap(signal) { forward(signal) }] }
          program, *arguments = @command
          # The pair avoids a shell.
          @pid = Process.spawn(@environment, [program, program], *arguments)
          @early.each { |signal| forward(signal) }
          wait
        ensure
          previous&.each { |signal, handler| trap(signal, handler || "DEFAULT") }
        end

        private

        def wait
          _, status = Process.wait2(@pid)
          status.exitstatus || CLI::SIGNALED + status.termsig
        end

        def forward(signal)
          return @early << signal unless @pid
          return Process.kill(signal, @pid) unless FROM_TERMINAL.include?(signal) && foreground?
          Process.kill(:STOP, Process.pid) if signal == "TSTP" # Ctrl-Z: we stop as the command does
        rescue Errno::ESRCH # it has just ended: wait returns its status
          nil
        end

        # Whether a terminal's Ctrl-C reaches the child directly.
        def foreground?
          _, _, group, _, _, terminal_group = File.binread("/proc/self/stat").rpartition(")").last.split
          group == terminal_group
        rescue SystemCallError
          $stdin.tty?
        end
      end
    end
  end
end
