# frozen_string_literal: true

require "socket"

module Holdup
  module Lab
    # One request and its answer on its own non-blocking connection: the caller selects on #io, then calls
    # #advance. One connection a request, as behind a proxy without keep-alive, lets the kernel spread
    # requests over the workers.
    class Exchange
      CHUNK = 65_536

      attr_reader :io

      attr_reader :arrival

      # @param due_us [Integer, nil] when it was due, microseconds since 1970, for X-Request-Start; nil:
      #   without
      def initialize(arrival, target, due_us:)
        @arrival = arrival
        @unsent = request(arrival, target, due_us)
        @received = "".b
        @io = connection(target)
      end

      def writing? = !@unsent.empty?

      def done? = @io.closed?

      # @return [Integer, nil] the answer's status; nil without a complete answer
      def status = Response.new(@received).status

      # Continues as far as possible without waiting.
      def advance
        return if done?
        guarded { writing? ? send_some : receive_some }
      end

      def close = @io.close

      private

      # The connection is pending until #io can be written.
      def connection(target)
        @io = Socket.new(target.address.pfamily, :STREAM)
        guarded { @io.connect_nonblock(target.address, exception: false) }
        @io
      end

      # A refused or reset connection is a normal result: an exchange without a status.
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
        start = "x-request-start: t=#{due_us}\r\n" if due_us
        "#{verb} #{arrival.path} HTTP/1.1\r\nhost: #{target.authority}\r\nconnection: close\r\n" \
          "#{start}accept: */*\r\n#{body}\r\n"
      end

      # The bytes received until the server closed the connection.
      class Response
        # @param bytes [String] binary
        def initialize(bytes)
          @head, @body = bytes.split("\r\n\r\n", 2)
        end

        # @return [Integer, nil] the status; nil when the answer is not HTTP, or is incomplete
        def status
          whole? ? @head[%r{\AHTTP/1\.[01] (\d{3})}, 1]&.to_i : nil
        end

        private

        # An early close looks like a normal end; only the announced length shows the difference.
        def whole?
          return false unless @body
          return @body.end_with?("0\r\n\r\n") if @head.match?(/^transfer-encoding: *chunked/i)
          length = @head[/^content-length: *(\d+)/i, 1]
          length.nil? || @body.bytesize == length.to_i
        end
      end

      # Exact percentiles of a list that is small enough to keep, such as a load test's.
      module Percentile
        # Quantiles stored for each load => names.
        KEPT = {0.5 => :p50_ns, 0.95 => :p95_ns, 0.99 => :p99_ns}.freeze

        # Nearest rank: always a value that occurred.
        # @param sorted [Array<Comparable>] in ascending order
        # @param quantile [Float] 0.0..1.0
        # @return [Comparable, nil] nil when the list is empty
        def self.of(sorted, quantile)
          sorted[[(quantile * sorted.size).ceil - 1, 0].max]
        end

        # @param quantile [Float] 0.0..1.0
        # @return [Symbol] name of the next stored quantile at or above it
        def self.kept(quantile)
          KEPT.find { |at, _| quantile <= at }&.last || KEPT.values.last
        end
      end

      # Results of a route's requests. Latencies are nanoseconds from the time a request was due to the end of
      # its answer. `errors`: status 500 and up, or no complete answer (`lost`); `unexpected`: status that the
      # route does not expect.
      Outcome = Data.define(:label, :count, :errors, :lost, :unexpected, :p50_ns, :p95_ns, :p99_ns) do
        # Requests that the server answered, and so counted.
        def answered = count - lost
      end

      # Counts the results of requests while a load runs.
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

        # @return [Outcome, nil] of all routes together; nil without requests
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
