# frozen_string_literal: true

require "etc"
require "net/http"
require_relative "../../../test/support/free_ports"
require_relative "options"

module Demo
  # examples/storefront with the process next door that it needs, on free ports, with all its files in one
  # folder.
  class Storefront
    APP = File.expand_path("../../../examples/storefront", __dir__)
    # With it, each worker has run all endpoints before its first request.
    WARM = File.expand_path("puma.rb", __dir__)
    # A machine with other work to do may need minutes.
    BOOT_SECONDS = 300
    ADDRESSES_SECONDS = 60
    QUIET = {"RUBYOPT" => nil}.freeze

    attr_reader :url

    # @param children [Children]
    # @param folder [String] for databases and logs
    # @param env [Hash<String, String>] for Holdup
    # @param config [String] Puma's configuration
    def initialize(children:, folder:, env:, config: "config/puma.rb")
      @children = children
      @folder = folder
      @env = env
      @config = config
    end

    # @return [Integer] workers that a machine has CPUs for, two at most
    def self.workers
      ENV.fetch("STOREFRONT_WORKERS") { [Etc.nprocessors, 2].min }.to_i
    end

    # @param threads [Integer] of a worker
    # @param env [Hash<String, String>] of this server
    # @return [void]
    # @raise [Failure]
    def boot(threads:, workers: self.class.workers, env: {})
      start_upstream
      prepare_database
      start_puma({**setting(workers, threads), **env})
      wait_until_it_answers
    end

    # @param threads [Integer]
    # @param workers [Integer]
    # @param slice_ns [Integer, nil] nil: Ruby's own
    # @param env [Hash<String, String>] more of it
    # @return [void]
    # @raise [Failure]
    def restart(threads:, workers: self.class.workers, slice_ns: nil, env: {})
      @children.stop(:puma)
      slice = slice_ns ? {"RUBY_THREAD_TIMESLICE" => (slice_ns / 1_000_000).to_s} : {}
      start_puma({**setting(workers, threads), **slice, **env})
      wait_until_it_answers
    end

    # @return [Hash<String, String>] what processes of the shop need
    def env = app_env

    # @return [Boolean]
    def alive? = @children.alive?(:puma)

    # @return [String] what the server said last
    def last_words = File.exist?(log) ? File.readlines(log).last(15).join : ""

    private

    def log = File.join(@folder, "puma.log")

    def setting(workers, threads)
      {"STOREFRONT_WORKERS" => workers.to_s, "STOREFRONT_THREADS" => threads.to_s}
    end

    def start_upstream
      reader, writer = IO.pipe
      @children.start(:upstream, QUIET, "ruby", "#{APP}/upstream/server.rb", out: writer)
      writer.close
      line = reader.gets if reader.wait_readable(ADDRESSES_SECONDS)
      raise Failure, "the upstream process did not start" unless line
      @upstream, @database_peer = line.split
    end

    def prepare_database
      path = File.join(@folder, "prepare.log")
      return if system(app_env, "bundle", "exec", "bin/rails", "db:prepare", chdir: APP, out: path, err: path)
      raise Failure, "the storefront's database could not be made:\n#{File.read(path)}"
    end

    def start_puma(env = {})
      @port = FreePorts.take
      @url = "http://127.0.0.1:#{@port}"
      @children.start(
        :puma,
        app_env.merge(env, "PORT" => @port.to_s),
        "bundle",
        "exec",
        "puma",
        "-C",
        @config,
        chdir: APP,
        out: log,
        err: %i[child out]
      )
    end

    def app_env
      {
        "RAILS_ENV" => "production",
        "STOREFRONT_STORAGE" => @folder,
        "STOREFRONT_UPSTREAM" => @upstream,
        "STOREFRONT_DATABASE_PEER" => @database_peer,
        "STOREFRONT_LOG" => File.join(@folder, "rails.log"),
        **@env
      }
    end

    def wait_until_it_answers
      deadline = now + BOOT_SECONDS
      until answers?
        raise Failure, "the storefront did not boot:\n#{last_words}" unless alive?
        if now > deadline
          raise Failure,
            "the storefront did not answer within #{BOOT_SECONDS} s:\n#{last_words}"
        end
        IO.select(nil, nil, nil, 0.1)
      end
    end

    def answers?
      Net::HTTP.start(
        "127.0.0.1",
        @port,
        open_timeout: 5,
        read_timeout: 30
      ) { |http| http.get("/up") }.is_a?(Net::HTTPOK)
    rescue SystemCallError, Net::OpenTimeout, Net::ReadTimeout, EOFError
      false
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
