# frozen_string_literal: true

require "socket"

module Holdup
  module Export
    # Answers GET /metrics and /scale.json with a text each, in threads of its own, so that a slow or hanging
    # client delays only the next clients. Its limits are strict and few: two connections at once, 8 kB of a
    # request, five seconds for each. A whole web server (Puma) would be a further gem for applications that
    # only run jobs, writes to ENV, and gives a client that sends a byte now and then as long as it likes.
    class MetricsServer
      CONNECTIONS = 2
      DEADLINE_S = 5
      MOST_BYTES = 8192
      BACKLOG = 16
      PATH = "/metrics"
      CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
      SCALE_PATH = "/scale.json"
      # Autoscalers get nothing that is older: the collector commits every ten seconds.
      SCALE_FRESH_S = 90
      JSON_TYPE = "application/json; charset=utf-8"
      PLAIN_TYPE = "text/plain; charset=utf-8"
      HEAD = %r{\A(?<method>[A-Z]+) (?<path>\S{1,2000}) HTTP/1\.[01]\r?\n}
      HOST = /^Host:[ \t]*(\S+?)(?::\d+)?[ \t]*\r?$/i
      LOOPBACK = /\A(127\.[\d.]+|::1|localhost)\z/
      REASONS = {200 => "OK", 400 => "Bad Request", 403 => "Forbidden", 404 => "Not Found",
                 405 => "Method Not Allowed", 503 => "Service Unavailable"}.freeze

      # What is served: a String, or nil before there is one. Any thread may set it.
      attr_writer :text

      # What is served to autoscalers, likewise. An old one is not: they would act on it.
      def scale=(document)
        @scale = document && [document, now + SCALE_FRESH_S]
      end

      # @param port [Integer] 0 for any
      # @param deadline_s [Numeric] for a request and its answer together
      def initialize(bind:, port:, deadline_s: DEADLINE_S)
        @bind = bind
        @port = port
        @deadline_s = deadline_s
      end

      # Does nothing when it listens already.
      # @return [String, nil] its URL when it has just begun to listen
      # @raise [SystemCallError, SocketError] when it can't listen
      def start
        return if @listener
        @listener = TCPServer.new(@bind, @port)
        @listener.listen(BACKLOG)
        @threads = Array.new(CONNECTIONS) { thread(@listener) }
        host = @bind.include?(":") ? "[#{@bind}]" : @bind
        "http://#{host}:#{port}#{PATH}"
      end

      # The port at which it listens, or nil.
      def port = @listener&.local_address&.ip_port

      def stop
        listener = @listener or return
        @listener = nil
        begin
          listener.shutdown # also where a forked child has the same socket open
        rescue SystemCallError
          nil
        end
        listener.close
        @threads.each(&:kill).each(&:join)
      end

      private

      def thread(listener)
        Thread.new { serve(listener) }.tap do |thread|
          thread.name = "holdup-metrics"
          thread.report_on_exception = false
          thread.thread_variable_set(:fork_safe, true)
        end
      end

      def serve(listener)
        loop do
          client = accept(listener) or break
          begin
            answer(client)
          rescue SystemCallError, IOError
            nil # the client is gone or too slow
          ensure
            client.close
          end
        end
      end

      # Without free file descriptors an accept fails at once, again and again.
      def accept(listener)
        listener.accept
      rescue Errno::EMFILE, Errno::ENFILE, Errno::ECONNABORTED
        IO.select(nil, nil, nil, 1)
        retry
      rescue SystemCallError, IOError
        nil # closed
      end

      def answer(client)
        deadline = now + @deadline_s
        write(client, response(*respond(head(client, deadline))), deadline)
        client.close_write
      end

      def head(client, deadline)
        head = +""
        until head.include?("\r\n\r\n") || head.bytesize >= MOST_BYTES
          part = client.read_nonblock(MOST_BYTES - head.bytesize, exception: false)
          break if part.nil?
          part.is_a?(String) ? head << part : wait(client, :wait_readable, deadline)
        end
        head
      end

      # @return [(Integer, String, String)] status, body, and its type
      def respond(head)
        request = HEAD.match(head)
        return [400, "not a request\n"] unless request && head.include?("\r\n\r\n")
        return [403, "not under this host name\n"] unless host?(head[HOST, 1])
        path = request[:path].split("?", 2).first
        return [404, "see #{PATH} and #{SCALE_PATH}\n"] unless [PATH, SCALE_PATH].include?(path)
        return [405, "only GET\n"] unless request[:method] == "GET"
        (path == PATH) ? metrics : scale
      end

      def metrics
        text = @text
        text ? [200, text, CONTENT_TYPE] : [503, "nothing is collected so far\n"]
      end

      def scale
        document, until_s = @scale
        return [200, document, JSON_TYPE] if document && now < until_s
        [503, "no signal: set config.scaling; afterwards, nothing was stored lately\n"]
      end

      # A foreign page can make a browser ask a loopback address by a name that resolves to it, but not by
      # another name.
      def host?(name)
        return true unless LOOPBACK.match?(@bind)
        name.nil? || LOOPBACK.match?(name.delete("[]").downcase)
      end

      def response(status, body, type = PLAIN_TYPE)
        headers = ["HTTP/1.1 #{status} #{REASONS.fetch(status)}", "content-type: #{type}",
          "content-length: #{body.bytesize}", "cache-control: no-store", "connection: close"]
        headers << "allow: GET" if status == 405
        "#{headers.join("\r\n")}\r\n\r\n".b << body.b
      end

      def write(client, bytes, deadline)
        sent = 0
        while sent < bytes.bytesize
          written = client.write_nonblock(bytes.byteslice(sent, 65_536), exception: false)
          written.is_a?(Integer) ? sent += written : wait(client, :wait_writable, deadline)
        end
      end

      def wait(client, direction, deadline)
        left_s = deadline - now
        return if left_s.positive? && client.public_send(direction, left_s)
        raise IO::TimeoutError, "too slow"
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
