# frozen_string_literal: true

require "holdup/loader"
require "net/http"
require_relative "../../test/support/free_ports"
require_relative "shop"

module Bench
  # The storefront in Puma with one tool. Servers of all arms stay up; those that are not measured are paused,
  # so that not even their helper threads run.
  class StorefrontServer
    CONFIG = File.join(__dir__, "storefront/puma.rb")
    MIX = File.join(__dir__, "storefront/mix.lua")
    CONNECTIONS = 10
    BOOT_SECONDS = 60

    # requests, seconds, errors, cpu_s (master and worker), collector_s
    LoadSample = Data.define(:requests, :seconds, :errors, :cpu_s, :collector_s) do
      def rate = requests / seconds

      def cpu_per_request = cpu_s / requests
    end

    # @param tool [String] a key of Tools::ALL
    # @param shop [Shop]
    # @param scratch [String] folder in memory, for segments
    # @param name [String] where several have one tool
    # @param env [Hash{String => String}] more of its environment
    # @param pause [Boolean] whether it is stopped while others are measured
    def initialize(tool, shop:, scratch:, name: tool, env: {}, pause: true)
      @tool = tool
      @name = name
      @more = env
      @pause = pause
      @shop = shop
      @scratch = scratch
      @log = File.join(shop.folder, "#{slug}.log")
    end

    # @return [self] answering
    # @raise [Failure]
    def boot
      @port = FreePorts.take
      @pid = @shop.children.start(
        @name,
        env,
        RbConfig.ruby,
        *Fresh::LOAD_PATH,
        Gem.bin_path("puma", "puma"),
        "-C",
        CONFIG,
        chdir: Shop::APP,
        out: @log,
        err: @log
      )
      wait_until_it_answers
      self
    end

    # @param seconds [Integer] of load
    # @return [LoadSample]
    # @raise [Failure] when an answer was not as it should be
    def measure(seconds)
      resumed do
        before = cpu
        report = load(seconds)
        server, collector = cpu.zip(before).map { |now, earlier| now - earlier }
        LoadSample.new(**report, cpu_s: server, collector_s: collector)
      end
    end

    # @return [String] file with what was measured in it
    def store
      File.join(@shop.folder, "#{slug}.sqlite3")
    end

    # Lets it go on, so that it can end when asked.
    # @return [void]
    def release
      signal(:CONT) if @pid
    end

    private

    def resumed
      signal(:CONT)
      yield
    ensure
      signal(:STOP) if @pause
    end

    def slug = @name.tr(" ", "-")

    def signal(name)
      Process.kill(name, -@pid)
    rescue Errno::ESRCH
      nil # gone; whoever needs it will say so
    end

    def env
      {**@shop.env, "PORT" => @port.to_s, "BENCH_TOOL" => @tool, "HOLDUP_ENABLED" => (@tool == "holdup").to_s,
                    "HOLDUP_DIR" => File.join(@scratch, "#{slug}-segments"), "HOLDUP_STORE" => store,
                    "HOLDUP_BENCH_SCRATCH" => @scratch, **@more}
    end

    # @return [Array(Float, Float)] seconds of the server and of the collector
    def cpu
      tree = Holdup::Lab::Child::ProcessTree.new(@pid)
      [tree.cpu_seconds { |command| !command.include?(" collect ") },
        tree.cpu_seconds { |command| command.include?(" collect ") }]
    end

    def load(seconds)
      output, status = Open3.capture2e(
        "timeout", "--signal=KILL", (seconds + 30).to_s, "wrk", "--threads", "1", "--connections",
        CONNECTIONS.to_s, "--duration", "#{seconds}s", "--script", MIX,
        "http://127.0.0.1:#{@port}"
      )
      raise Failure, "wrk: #{status}\n#{output}" unless status.success?
      report = JSON.parse(output.lines.last, symbolize_names: true)
      unless report[:errors].zero? && report[:requests].positive?
        raise Failure, "#{@name}: #{report}\n#{last_words}"
      end
      report
    end

    def wait_until_it_answers
      deadline = now + BOOT_SECONDS
      until answers?
        if !@shop.children.alive?(@name) || now > deadline
          raise Failure, "the storefront with #{@name} does not answer:\n#{last_words}"
        end
        IO.select(nil, nil, nil, 0.1)
      end
    end

    def answers?
      Net::HTTP.start("127.0.0.1", @port, open_timeout: 1,
        read_timeout: 10) { |http| http.get("/up") }.is_a?(Net::HTTPOK)
    rescue SystemCallError, Net::OpenTimeout, Net::ReadTimeout, EOFError
      false
    end

    def last_words = File.readlines(@log).last(10).join

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
