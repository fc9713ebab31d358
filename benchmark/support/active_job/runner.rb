# frozen_string_literal: true

require "holdup/loader"
require "rbconfig"
require_relative "../../../test/support/job_database"
require_relative "../fresh"
require_relative "../recording_grades"

module Bench
  # A database with the tables of a job runner, and a process of the application that fills its queues.
  class JobTables
    CONNECTIONS = 120
    PATIENCE_S = 60
    # GoodJob's command looks for an application where it runs.
    APP = File.join(Fresh::ROOT, "test/integration/apps/jobs")
    PROGRAM = [RbConfig.ruby, *Fresh::LOAD_PATH, "-W0", File.join(__dir__, "jobs.rb")].freeze

    # @return [Hash{String => String}] what the application reads
    attr_reader :env

    # @param adapter [String] of Active Job
    # @yieldparam tables [JobTables]
    # @return [Object] the block's value
    # @raise [Failure]
    def self.open(adapter)
      raise Failure, "no PostgreSQL here: bin/setup --services installs it" unless PostgresServer.installed?
      PostgresServer.run(connections: CONNECTIONS) do |postgres|
        tables = new(adapter, postgres.create("jobs"))
        yield tables
      ensure
        tables&.stop
      end
    end

    # @param url [String] of an empty database
    def initialize(adapter, url)
      JobDatabase.make_tables(url, adapter)
      @env = {"ADAPTER" => adapter, "DATABASE_URL" => "#{url}&pool=30", "RAILS_ENV" => "production",
              "GOOD_JOB_EXECUTION_MODE" => "external"}
      @feeder = IO.popen(@env, [*PROGRAM, "feed"], "r+", chdir: APP)
      answer
    end

    # @return [void]
    def fill(queue, count) = ask("fill", queue, count)

    # @return [Integer] jobs that wait
    def left(queue) = ask("left", queue)

    # Removes those that wait.
    # @return [void]
    def clear(queue) = ask("clear", queue)

    # @return [void]
    def stop = @feeder.close

    private

    def ask(*words)
      @feeder.puts(words.join(" "))
      Integer(answer)
    end

    def answer
      raise Failure, "the process that enqueues does not answer" unless @feeder.wait_readable(PATIENCE_S)
      @feeder.gets or raise Failure, "the process that enqueues has ended"
    end
  end

  # A runner of these jobs with one number of threads, which works only in its turns.
  class TableJobRunner
    STEP_S = 0.25
    # Jobs that a thread does in a second, at most: a turn's queue must not run empty.
    FASTEST = 40
    # Of all threads together.
    MOST = 400
    RING = 32_768

    # @return [Integer]
    attr_reader :threads

    # @param tables [JobTables]
    # @param folders [Hash{Symbol => String}] `folder` for its log, `segments` in memory
    def initialize(threads, tables, folders)
      @threads = threads
      @tables = tables
      @queue = "bench#{folders.fetch(:segments).hash.abs}"
      @log = File.join(folders.fetch(:folder), "runner.log")
      env = {"BENCH_THREADS" => threads.to_s, "BENCH_QUEUE" => @queue, "WITH_HOLDUP" => "1",
             "HOLDUP_DIR" => folders.fetch(:segments), "HOLDUP_COLLECTOR" => "off",
             "HOLDUP_RING_SIZE" => RING.to_s, "RAILS_YJIT" => "1"}
      @child = Holdup::Lab::Child.new(*JobTables::PROGRAM, "run", env: {**tables.env, **env}, log: @log,
        folder: JobTables::APP)
      @intake = Holdup::Lab::InMemoryStore.new(folders.fetch(:segments))
    end

    # @return [Holdup::Lab::Jobs::JobOutcome]
    # @raise [Holdup::Error]
    def turn(warm_up_s:, seconds:)
      @tables.fill(@queue, [FASTEST * @threads, MOST].min * (warm_up_s + seconds))
      wait_for_work
      go_on(warm_up_s)
      @intake.clear
      from_s = now
      go_on(seconds)
      @intake.close
      outcome(now - from_s).tap { check }
    ensure
      @tables.clear(@queue)
    end

    # @return [Recommendation, nil] see RecordingGrades
    def advice
      RecordingGrades.advice(windows, @intake.samples, @intake.unit_samples)
    end

    # @return [void]
    def stop = @child.stop

    private

    # Supervisors and dispatchers of Solid Queue are processes of their own.
    def windows
      @intake.windows.select { |window| window.setting&.attributes&.fetch("job_threads", nil) == @threads }
    end

    def outcome(seconds)
      found = Holdup::Lab::Jobs::JobOutcome.new(threads: @threads, seconds:, windows:,
        unit_samples: @intake.unit_samples)
      complain("did no job") if found.count.zero?
      found
    end

    def check
      complain("ran out of jobs") if @tables.left(@queue).zero?
    end

    def wait_for_work
      deadline = now + Holdup::Lab::ServerUnderTest::BOOT_S
      @intake.clear
      until @intake.take.count.positive?
        go_on(STEP_S)
        complain("did no job in #{Holdup::Lab::ServerUnderTest::BOOT_S} s") if now > deadline
      end
    end

    def go_on(seconds)
      deadline = now + seconds
      while (left = deadline - now).positive?
        IO.select(nil, nil, nil, [STEP_S, left].min)
        @intake.take
      end
      complain("ended too early") unless @child.alive?
    end

    def complain(what)
      raise Holdup::Error.new("the runner with #{@threads} threads #{what}",
        "it said: #{@child.last_words.strip}")
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
