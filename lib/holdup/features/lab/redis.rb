# frozen_string_literal: true

require "fileutils"
require "securerandom"
require "socket"
require "tmpdir"

module Holdup
  module Lab
    # A private Redis for an experiment: on a free port of this machine, without persistence, stopped
    # afterwards.
    #
    #   Redis.run(path: ENV["PATH"]) { |url| ... }
    class Redis
      PROGRAM = "redis-server"
      HOST = "127.0.0.1"
      TRIES = 5
      PATIENCE_S = 10

      # Another process took the port after Holdup found it free.
      PortTaken = Class.new(Error)

      class << self
        # @param path [String] folders, as in PATH
        # @yieldparam url [String] its address
        # @return [Object] the block's value
        # @raise [UnsupportedError] not installed on this machine
        def run(path:)
          redis = start(find(path))
          yield redis.url
        ensure
          redis&.stop
        end

        private

        def find(path)
          programs = path.split(":").map { |folder| File.join(folder, PROGRAM) }
          programs.find { |file| File.executable?(file) } || raise(missing)
        end

        def missing
          UnsupportedError.new("#{PROGRAM} is not installed on this machine",
            "install it (`apt-get install redis-server`, `brew install redis`, " \
            "or `bin/setup --services` in a clone of Holdup), " \
            "or name a running one with --redis-url redis://HOST:PORT/DB")
        end

        def start(program)
          TRIES.times do
            return new(program).tap(&:wait_until_it_answers)
          rescue PortTaken
            next
          end
          raise Error.new("no port of #{HOST} stayed free long enough for a Redis",
            "try again, or name one with --redis-url")
        end
      end

      # @param program [String] its path
      def initialize(program)
        @port = TCPServer.open(HOST, 0) { |server| server.addr[1] }
        @folder = Folders.temporary("holdup-redis-")
        network = ["--port", @port.to_s, "--bind", HOST]
        storage = ["--save", "", "--appendonly", "no", "--dir", @folder]
        @child = Child.new(program, *network, *storage, log: File.join(@folder, "log"))
      end

      def url
        "redis://#{HOST}:#{@port}/0"
      end

      def stop
        @child.stop
        FileUtils.rm_rf(@folder)
      end

      # @raise [Holdup::Error] it does not answer; it is then stopped
      def wait_until_it_answers
        deadline = now + PATIENCE_S
        until answers?
          give_up unless @child.alive? && now < deadline
          IO.select(nil, nil, nil, Child::POLL_S)
        end
      rescue SignalException # Ctrl-C before anybody else knows of it
        stop
        raise
      end

      private

      def answers?
        TCPSocket.open(HOST, @port) do |socket|
          socket.write("PING\r\n")
          socket.gets == "+PONG\r\n"
        end
      rescue SystemCallError
        false
      end

      def give_up
        words = @child.last_words
        stop
        raise PortTaken if words.include?("Address already in use")
        raise Error.new("#{PROGRAM} does not answer (#{words.lines.last(2).join(" ").strip})",
          "start one yourself and name it with --redis-url")
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      # An experiment's own queue in a Redis that others may share. #remove deletes all of it.
      class JobQueue
        attr_reader :name

        # @param library [Module] Sidekiq
        def initialize(url, library: ::Sidekiq)
          @name = "holdup-lab-#{SecureRandom.hex(4)}"
          @pool = library::RedisConnection.create(url:, size: 1)
          @client = library::Client.new(pool: @pool)
        end

        # @raise [Holdup::Error] it does not answer
        def check
          @pool.with { |redis| redis.call("PING") }
        rescue => error
          raise Error.new("Redis does not answer (#{error.message})", "check --redis-url and that it runs")
        end

        # @param job [String] class
        def push(job, *arguments)
          @client.push("class" => job, "args" => arguments, "queue" => name, "retry" => false)
        end

        # @return [Integer] waiting jobs
        def size
          @pool.with { |redis| redis.call("LLEN", "queue:#{name}") }
        end

        def remove
          @pool.with do |redis|
            redis.call("DEL", *keys)
            redis.call("SREM", "queues", name)
          end
        rescue => error
          # Redis has stopped, and the queue is gone with it.
          raise unless defined?(::RedisClient::Error) && error.is_a?(::RedisClient::Error)
        end

        def close = @pool.shutdown(&:close)

        private

        def keys
          ["queue:#{name}"]
        end
      end
    end
  end
end
