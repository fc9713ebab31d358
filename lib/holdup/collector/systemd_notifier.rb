# frozen_string_literal: true

require "socket"

module Holdup
  class Collector
    # Tells systemd, or another supervisor that reads `NOTIFY_SOCKET`, how the collector is, as sd_notify(3)
    # does: one datagram for each message. Without a socket every method does nothing. A message never blocks
    # and never raises; READY and WATCHDOG that could not be sent are sent at the next call.
    class SystemdNotifier
      VARIABLES = %w[NOTIFY_SOCKET WATCHDOG_USEC WATCHDOG_PID].freeze
      # Longer ones are cut, because a line of `systemctl status` is read by people.
      STATUS_BYTES = 400

      # Takes its variables out of the environment, so that no child speaks for this process.
      # @param env [ENV, Hash{String => String}]
      # @return [SystemdNotifier]
      def self.take_from(env, clock:, pid: Process.pid)
        address, watchdog_us, watchdog_pid = VARIABLES.map { |name| env.delete(name) }
        watched = watchdog_pid.nil? || watchdog_pid == pid.to_s
        watchdog_us = Integer(watchdog_us.to_s, 10, exception: false)
        new(address, clock:, watchdog_us: watched ? watchdog_us : nil)
      end

      # @param address [String, nil] path of a UNIX datagram socket, or `@name` for an abstract one
      # @param watchdog_us [Integer, nil] microseconds without WATCHDOG=1 after which systemd restarts us
      def initialize(address, clock:, watchdog_us: nil)
        @address = sockaddr(address)
        @clock = clock
        @half_ns = watchdog_us * 1000 / 2 if watchdog_us&.positive?
        @ready = false
      end

      # The first call also tells that the service has started.
      # @param status [String] a line for people
      def ready(status)
        return self.status(status) if @ready
        @ready = deliver("READY=1\n#{status_line(status)}")
        @status = status if @ready
      end

      # Sent only when it changes.
      def status(text)
        return if text == @status
        @status = text if deliver(status_line(text))
      end

      # Callers do this wherever work makes progress; it says so at most twice in the time that systemd waits.
      def alive
        return unless @ready && @half_ns
        now_ns = @clock.monotonic_ns
        return if @alive_ns && now_ns - @alive_ns < @half_ns
        @alive_ns = now_ns if deliver("WATCHDOG=1")
      end

      # @return [Float] seconds after which `alive` has to be called again; infinite without a watchdog
      def patience_s
        return Float::INFINITY unless @address && @half_ns
        @half_ns.fdiv(NS) / 2
      end

      def stopping(status)
        deliver("STOPPING=1\n#{status_line(status)}")
      end

      def close
        @socket&.close
        @socket = nil
      end

      private

      def sockaddr(address)
        return unless address&.start_with?("/", "@")
        Addrinfo.unix(address.b.sub(/\A@/, "\0"), :DGRAM)
      rescue ArgumentError, SocketError # longer than an address can be
        nil
      end

      # The status is one line: a line break would begin another message.
      def status_line(text)
        "STATUS=#{Utf8.valid(text).gsub(/[ [:cntrl:]]+/, " ").byteslice(0, STATUS_BYTES).scrub("")}"
      end

      # @return [Boolean] whether it was sent
      def deliver(message)
        return false unless @address
        @socket ||= Socket.new(:UNIX, :DGRAM)
        @socket.sendmsg_nonblock(message, 0, @address, exception: false) != :wait_writable
      rescue SystemCallError, IOError, ArgumentError
        false
      end
    end
  end
end
