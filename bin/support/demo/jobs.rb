# frozen_string_literal: true

require "holdup/loader"
require "json"
require "securerandom"
require "socket"
require_relative "options"
require_relative "storefront"

module Demo
  # The shop's jobs in a Sidekiq beside it, on a Redis of the demo's own, and somebody who wants them done
  # while there is traffic.
  class Jobs
    # A second; so that one thread would have been enough, most of the time.
    RATE = 6
    # In the demo no job comes while so many wait: then the machine can't run more beside what else it does.
    MOST_WAITING = 20
    # Name, arguments, and how many of so many.
    MIX = {
      "Jobs::Receipt" => 10,
      "Jobs::Invoice" => 7,
      "Jobs::Digest" => 3
    }.flat_map { |name, weight| [name] * weight }.freeze
    ORDERS = 1..200
    QUEUE = "default"
    THREADS = 5
    BOOT_SECONDS = 300
    # What it says where it has no terminal.
    RUNNING = "Running in ruby"

    # @yieldparam url [String] of Redis, gone after the block
    # @raise [Failure]
    def self.with_redis(&)
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH"), &)
    rescue Holdup::Error => error
      raise Failure, error.message
    end

    # @param redis [String] its URL
    # @param children [Children]
    # @param folder [String] for its log
    # @param env [Hash<String, String>] the shop's
    # @param seed [Integer]
    # @param rate [Numeric] jobs a second
    # @param most_waiting [Numeric] jobs; none comes while so many wait
    # @param file [String] with the classes of the jobs
    def initialize(redis:, children:, folder:, env:, seed:, rate: RATE, most_waiting: Float::INFINITY,
      file: "./jobs.rb")
      @rate = rate
      @most_waiting = most_waiting
      @file = file
      @pushed = 0
      @redis = URI(redis)
      @children = children
      @log = File.join(folder, "sidekiq.log")
      @env = env.merge("REDIS_URL" => redis)
      @random = Random.new(seed)
    end

    # @return [Integer] jobs that came in
    attr_reader :pushed

    # @return [void] once it runs
    # @raise [Failure]
    def start
      @children.start(
        :sidekiq,
        @env,
        "bundle",
        "exec",
        "sidekiq",
        "-r",
        @file,
        "-c",
        THREADS.to_s,
        chdir: Storefront::APP,
        out: @log,
        err: %i[child out]
      )
      deadline = now + BOOT_SECONDS
      until File.read(@log).include?(RUNNING)
        if now > deadline || !@children.alive?(:sidekiq)
          raise Failure,
            "Sidekiq did not start:\n#{File.read(@log)}"
        end
        pause(0.1)
      end
    end

    # @yield while jobs come in
    # @return [Object] the block's value
    def coming
      coming = Thread.new { loop { [push, pause(1.0 / @rate)] } }
      yield
    ensure
      coming.kill.join
    end

    private

    def push
      job = {
        class: MIX.sample(random: @random),
        args: [@random.rand(ORDERS)],
        queue: QUEUE,
        jid: SecureRandom.hex(12),
        retry: false,
        created_at: milliseconds,
        enqueued_at: milliseconds
      }
      return if waiting >= @most_waiting
      call("SADD", "queues", QUEUE)
      call("LPUSH", "queue:#{QUEUE}", JSON.generate(job))
      @pushed += 1
    end

    # @return [Integer] jobs in the queue
    def waiting = call("LLEN", "queue:#{QUEUE}").delete_prefix(":").to_i

    # Sidekiq's own client is a gem, and this process has none.
    def call(*words)
      @socket ||= TCPSocket.new(@redis.host, @redis.port)
      @socket.write("*#{words.size}\r\n", *words.map { |word| "$#{word.bytesize}\r\n#{word}\r\n" })
      @socket.gets
    end

    def milliseconds = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)

    def pause(seconds) = IO.select(nil, nil, nil, seconds)

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
