# frozen_string_literal: true

require "socket"

module Holdup
  module Lab
    # One request and its answer on a connection of its own that never blocks: the caller selects on #io and
    # then calls #advance. One connection a request, as behind a proxy without keep-alive, so that the kernel
    # spreads them over the workers.
    class Exchange
      CHUNK = 65_536

      attr_reader :io

      attr_reader :arrival

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
      def advance
        return if done?
        guarded { writing? ? send_some : receive_some }
      end

      # Gives up, or ends.
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

      # What came back until the server closed the connection.
      class Response
        # @param bytes [String] binary
        def initialize(bytes)
          @head, @body = bytes.split("\r\n\r\n", 2)
        end

        # @return [Integer, nil] the status; nil when the answer is none, or was cut off
        def status
          whole? ? @head[%r{\AHTTP/1\.[01] (\d{3})}, 1]&.to_i : nil
        end

        private

        # A connection that closes early looks like one that is done: only the announced length tells them
        # apart.
        def whole?
          return false unless @body
          return @body.end_with?("0\r\n\r\n") if @head.match?(/^transfer-encoding: *chunked/i)
          length = @head[/^content-length: *(\d+)/i, 1]
          length.nil? || @body.bytesize == length.to_i
        end
      end

      # Exact percentiles of a list that is small enough to keep, as a load test's is.
      module Percentile
        # Those that are kept of each load, by their names.
        KEPT = {0.5 => :p50_ns, 0.95 => :p95_ns, 0.99 => :p99_ns}.freeze

        # Nearest rank: always a value that occurred.
        # @param sorted [Array<Comparable>] in ascending order
        # @param quantile [Float] 0.0..1.0
        # @return [Comparable, nil] nil when the list is empty
        def self.of(sorted, quantile)
          sorted[[(quantile * sorted.size).ceil - 1, 0].max]
        end

        # @param quantile [Float] 0.0..1.0
        # @return [Symbol] the next one above that is kept
        def self.kept(quantile)
          KEPT.find { |at, _| quantile <= at }&.last || KEPT.values.last
        end
      end

      # What became of a route's requests. Latencies are nanoseconds from the moment a request was due to the
      # end of its answer. `errors`: status 500 and up, or no whole answer (`lost`); `unexpected`: not among
      # the route's expected.
      Outcome = Data.define(:label, :count, :errors, :lost, :unexpected, :p50_ns, :p95_ns, :p99_ns) do
        # Requests that the server answered, and so must have counted.
        def answered = count - lost
      end

      # Counts what became of each request while a load runs.
      class Counts
        def initialize
          @entries = Hash.new { |entries, label| entries[label] = [] }
        end

        def add(route, status, latency_ns)
          @entries[route.label] << [status, latency_ns, route.expected.include?(status)]
        end

        def count
          @entries.sum { |_, entries| entries.size }
        end

        # @return [Hash<String, Outcome>] by label, frozen
        def outcomes
          @entries.to_h { |label, entries| [label, outcome(label, entries)] }.freeze
        end

        # @return [Outcome, nil] of all routes together; nil when there was nothing
        def total
          outcome("all", @entries.values.flatten(1)) unless count.zero?
        end

        private

        def outcome(label, entries)
          latencies = entries.map { |_, latency, _| latency }.sort
          Outcome.new(
            label:,
            count: entries.size,
            errors: entries.count { |status, *| status.nil? || status >= 500 },
            lost: entries.count { |status, *| status.nil? },
            unexpected: entries.count { |*, expected| !expected },
            p50_ns: Percentile.of(latencies, 0.5),
            p95_ns: Percentile.of(latencies, 0.95),
            p99_ns: Percentile.of(latencies, 0.99)
          )
        end
      end
    end
  end
end
