# frozen_string_literal: true

require "fileutils"
require "holdup/loader"
require "net/http"
require "open3"
require_relative "../../../bin/support/demo/children"
require_relative "../../../test/support/free_ports"
require_relative "../../../test/support/job_database"
require_relative "../../../test/support/postgres_server"
require_relative "../../../test/support/redis_server"
require_relative "../bench"
require_relative "recording"

module Bench
  # A server with the planted work in a process (or two) of its own, which is captured while it works.
  class WhomServer
    FOLDER = __dir__
    RUBY = [RbConfig.ruby, *Fresh::LOAD_PATH].freeze
    EXE = File.expand_path("../../../exe/holdup", __dir__)
    BOOT_S = 90
    # Longer than any work here: what a capture has not seen can't be compared.
    CAPTURE_S = 60
    LOOK_S = 0.05

    # @param processes [Integer] that measure
    def initialize(processes: 1)
      @processes = processes
    end

    # @yieldparam server [WhomServer] that is ready
    # @return [WhomRecording] of all that it has done in the block
    # @raise [Failure]
    def record(captured: true, &work)
      Dir.mktmpdir("holdup-whom", (Fresh::SHARED_MEMORY if File.writable?(Fresh::SHARED_MEMORY))) do |folder|
        @folder = folder
        @children = Demo::Children.new
        FileUtils.mkdir_p([segments, notes, captures])
        with_service { served(captured, &work) }
      ensure
        @children.stop_all
      end
    end

    private

    def segments = File.join(@folder, "segments")

    def notes = File.join(@folder, "notes")

    def captures = File.join(@folder, "captures")

    def env
      {"HOLDUP_DIR" => segments, "HOLDUP_STORE" => "sqlite://#{@folder}/store.sqlite3",
       "HOLDUP_COLLECTOR" => "off", "HOLDUP_TICK_SECONDS" => "0.2", "HOLDUP_LOG" => "off",
       "WHOM_NOTES" => notes, "WHOM_DATABASE" => "#{@folder}/planted.sqlite3"}
    end

    def log = File.join(@folder, "log")

    def start(*command, **more)
      @children.start(:server, {**env, **more}, *command, chdir: FOLDER, out: log, err: log)
      wait_for("a process that measures") { measuring.size == @processes && ready? }
    end

    def ready? = true

    def measuring
      File.directory?(segments) ? Holdup::Segment::Directory.new(segments).running : []
    end

    def served(captured)
      boot
      capture_all if captured
      from = now
      yield self
      worked_s = now - from
      raise Failure, "the work took longer than a capture may" if captured && !@children.alive?(:capture)
      wait_for_capture if captured
      settle
      WhomRecording.new(segments:, notes:, captures:, seconds: worked_s)
    end

    # Of all processes, from before the work on.
    def capture_all
      options = ["--all", "--seconds", CAPTURE_S.to_s, "--dir", segments, "--out", captures]
      @children.start(:capture, env, *RUBY, EXE, "capture", *options, out: log, err: log)
      wait_for("a capture") { Dir["#{segments}/*.events"].size >= @processes }
    end

    def wait_for_capture
      wait_for("the end of a capture", seconds: CAPTURE_S + BOOT_S) { !@children.alive?(:capture) }
    end

    # Names of the last units, and of threads, are known after the next ticks.
    def settle
      counted = noted
      wait_for("quiet") do
        before = counted
        IO.select(nil, nil, nil, 1)
        before == (counted = noted)
      end
    end

    # @return [Integer] units that have written what they know
    def noted = Dir["#{notes}/*"].sum { |file| File.foreach(file).count }

    def wait_for(what, seconds: BOOT_S)
      deadline = now + seconds
      until yield
        raise Failure, "no #{what}:\n#{File.readlines(log).last(20).join}" if now > deadline
        IO.select(nil, nil, nil, LOOK_S)
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # Clients that send one request after the other.
  class WhomPuma < WhomServer
    # @param seconds [Numeric]
    # @param clients [Hash{String => Integer}] by path
    # @param headers [Hash{String => String}] of each request
    # @return [void]
    def work(clients, seconds, headers: {})
      ending = now + seconds
      threads = clients.flat_map do |path, count|
        Array.new(count) { Thread.new { ask(path, ending, headers) } }
      end
      threads.each(&:join)
    end

    private

    def with_service = yield

    def boot
      @port = FreePorts.take
      workers = (@processes > 1) ? @processes : 0
      start(*RUBY, Gem.bin_path("puma", "puma"), "-C", "puma.rb", "config.ru", "PORT" => @port.to_s,
        "WORKERS" => workers.to_s)
    end

    def ready?
      Net::HTTP.start("127.0.0.1", @port) { |http| http.get("/up").code == "200" }
    rescue SystemCallError, EOFError
      false
    end

    def ask(path, ending, headers)
      Net::HTTP.start("127.0.0.1", @port, read_timeout: 60) do |http|
        http.get("/#{path}", headers) while now < ending
      end
    end
  end

  # A queue of jobs.
  class WhomJobs < WhomServer
    WORK_S = 240

    # @param names [Array<String>]
    # @param count [Integer] of each
    # @return [void] when all have been done
    def work(names, count)
      before = noted
      push(count, *names)
      wait_for("work", seconds: WORK_S) { noted - before >= count * names.size }
    end

    private

    def push(*arguments)
      output, status = Open3.capture2e({**env, **service, "HOLDUP_ENABLED" => "false"}, *RUBY, program,
        *arguments.map(&:to_s), chdir: FOLDER)
      raise Failure, output unless status.success?
    end
  end

  class WhomSidekiq < WhomJobs
    # @param threads [Integer]
    def initialize(threads)
      super()
      @threads = threads
    end

    private

    def program = "jobs.rb"

    def service = {"REDIS_URL" => @redis.url}

    def with_service
      RedisServer.run do |redis|
        @redis = redis
        yield
      end
    end

    def boot
      start(*RUBY, Gem.bin_path("sidekiq", "sidekiq"), "-r", "./jobs.rb", "-c", @threads.to_s, **service)
    end
  end

  # Its supervisor measures, too, and does no jobs.
  class WhomSolidQueue < WhomJobs
    def initialize = super(processes: 1)

    private

    def program = "solid_queue.rb"

    def service
      {"ADAPTER" => "solid_queue", "RAILS_ENV" => "production", "WITH_HOLDUP" => "1", "DATABASE_URL" => @url}
    end

    def with_service
      PostgresServer.run do |postgres|
        @url = "#{postgres.create("planted")}&pool=20"
        JobDatabase.make_tables(@url, "solid_queue")
        yield
      end
    end

    def boot = start(*RUBY, program, **service)
  end
end
