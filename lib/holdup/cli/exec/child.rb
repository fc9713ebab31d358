# frozen_string_literal: true

module Holdup
  class CLI
    class Exec
      # The command that runs: gets every signal that we get, and gives its exit status back. We stay between
      # because a container stops its first process only, and because the collector must see the end.
      class Child
        # All that servers and job runners give a meaning to: URG (Puma reforks), TSTP (Sidekiq goes quiet),
        # WINCH, PWR ...
        SIGNALS = (%w[INT TERM HUP QUIT USR1 USR2 TTIN TTOU URG TSTP WINCH PWR] & Signal.list.keys).freeze
        # The terminal sends these to the whole foreground group; sent twice, they mean "now, at once" to
        # servers.
        FROM_TERMINAL = %w[INT QUIT TSTP WINCH].freeze

        # @param command [Array<String>]
        # @param environment [Hash{String => String}] added to ours
        def initialize(command, environment)
          @command = command
          @environment = environment
          @early = []
        end

        # @return [Integer] exit status
        # @raise [SystemCallError] the command can't be started
        def run
          previous = SIGNALS.to_h { |signal| [signal, trap(signal) { forward(signal) }] }
          program, *arguments = @command
          @pid = Process.spawn(@environment, [program, program], *arguments) # the pair keeps a shell out of it
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
        rescue Errno::ESRCH # it has just ended: wait tells how
          nil
        end

        # Whether a terminal's Ctrl-C reaches the child without us.
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
