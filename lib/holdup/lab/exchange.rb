# frozen_string_literal: true

require "socket"

module Holdup
  module Lab
    # One request and its answer on a connection of its own that never blocks: whoever selects on #io calls
    # #advance. One connection a request, as behind a proxy without keep-alive, so that the kernel spreads
    # them over the workers.
    class Exchange
      CHUNK = 65_536

      # @return [Socket]
      attr_reader :io

      # @return [Arrival]
      attr_reader :arrival

      # @param arrival [Arrival]
      # @param target [Target]
      # @param due_us [Integer] when it was to be sent, microseconds since 1970, for X-Request-Start
      def initialize(arrival, target, due_us:)
        @arrival = arrival
        @unsent = request(arrival, target, due_us)
        @received = "".b
        @io = Socket.new(target.address.pfamily, :STREAM)
        guarded { @io.connect_nonblock(target.address, exception: false) }
      end

      def writing? = !@unsent.empty?

      def done? = @io.closed?

      # @return [Integer, nil] the answer's status; nil when there was no whole answer
      def status = Response.new(@received).status

      # Goes on as far as it can without waiting.
      # @return [void]
      def advance
        return if done?
        guarded { writing? ? send_some : receive_some }
      end

      # Gives up, or ends.
      # @return [void]
      def close = @io.close

      private

      # A refused or reset connection is a result like any other: an exchange without a status.
      def guarded
        yield
      rescue SystemCallError
        @received.clear
        close
      end

      def send_some
        sent = @io.write_nonblock(@unsent, exception: false)
        @unsent = @unsent.byteslice(sent..) if sent.is_a?(Integer)
      end

      def receive_some
        chunk = @io.read_nonblock(CHUNK, exception: false)
        return if chunk == :wait_readable
        chunk ? @received << chunk : close
      end

      def request(arrival, target, due_us)
        verb = arrival.route.verb
        body = "content-length: 0\r\n" unless verb == "GET"
        "#{verb} #{arrival.path} HTTP/1.1\r\nhost: #{target.authority}\r\nconnection: close\r\n" \
          "x-request-start: t=#{due_us}\r\naccept: */*\r\n#{body}\r\n"
      end
    end
  end
end
