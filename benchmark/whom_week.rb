# frozen_string_literal: true

require "fileutils"
require "holdup/loader"
require "json"
require "rack/mock_request"
require "sqlite3"
require_relative "support/bench"
require_relative "support/week"

module Bench
  # What whom each waited for, and the slowest requests, take of a SQLite store in a week, and how long
  # questions about that week take.
  class WhomWeek
    # A folder that keeps the store: filling it takes a quarter of an hour.
    KEPT = "BENCH_RECORDINGS"
    EXE = File.expand_path("../exe/holdup", __dir__)
    NAME = "Controller7#action"
    SPANS = {"an hour" => 3600, "a day" => Week::DAY_S, "the week" => Week::DAYS * Week::DAY_S}.freeze
    REPORTS = {"holdup report" => [], "holdup report --name" => ["--name", NAME],
               "holdup report --table pairs" => %w[--table pairs],
               "holdup report --table slowest" => %w[--table slowest]}.freeze
    PAGES = {"the overview" => "/", "an endpoint" => "/endpoint?kind=request&unit=#{NAME.sub("#", "%23")}",
             "Blame" => "/blame", "the slowest" => "/slowest"}.freeze
    STORE_MB = Holdup::Store::DEFAULT_MAX_BYTES / 1e6
    REPORT_MS, PAGE_MS = 1000, 300
    # A hundredth of the ten seconds of a round.
    COMMIT_MS = 100
    WINDOWS = "SELECT seconds, count(*) FROM windows GROUP BY seconds"
    PAIRS = "SELECT seconds, sum(pairs), count(*) FROM pair_blocks GROUP BY seconds"
    TABLES = "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_schema USING (name) GROUP BY tbl_name"

    # A clock that stands where the week ends.
    EndOfWeek = Data.define do
      def realtime_s = Week::NOW_S

      def realtime_ns = Week::NOW_S * Week::NS
    end

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @days, @times = quick ? [0.05, 1] : [Week::DAYS, 3]
    end

    # @return [Result]
    def call
      RubyVM::YJIT.enable if defined?(RubyVM::YJIT)
      folder { |folder| measure(folder) }
      Result.new(title: "A week of it in a store", about:, tables: [sizes, times], budgets:, notes:)
    end

    private

    def folder(&)
      kept = ENV.fetch(KEPT, nil)
      kept ? yield(FileUtils.mkdir_p(kept).first) : Fresh.scratch(&)
    end

    def measure(folder)
      path = File.join(folder, "store.sqlite3")
      commits = File.join(folder, "commits.json")
      File.write(commits, JSON.generate(Week.new(days: @days).fill(path))) unless File.file?(commits)
      @commits = Spread.of(JSON.parse(File.read(commits)).map { |seconds| seconds * 1000 })
      @bytes = File.size(path)
      read_sizes(path)
      @reports = REPORTS.transform_values { |options| each_span { |from_s| report(path, from_s, options) } }
      @pages = PAGES.transform_values { |page| each_span { |from_s| page(path, page, from_s) } }
    end

    def read_sizes(path)
      database = SQLite3::Database.new(path, readonly: true)
      @windows = database.execute(WINDOWS)
      @pairs = database.execute(PAIRS)
      @tables = database.execute(TABLES).to_h
      @slowest = database.get_first_value("SELECT count(*) FROM slowest_units")
    ensure
      database&.close
    end

    def each_span
      SPANS.values.map { |seconds| Spread.of(Array.new(@times) { yield Week::NOW_S - seconds }).median }
    end

    # @return [Float] ms of CPU of its process
    def report(path, from_s, options)
      since, till = [from_s, Week::NOW_S].map { |second| Time.at(second).utc.iso8601 }
      before = children_s
      command = ["--yjit", *Fresh::LOAD_PATH, EXE, "report", "--store", path, "--since", since, "--until",
        till, *options]
      done = system({"HOLDUP_DIR" => File.dirname(path)}, RbConfig.ruby, *command, in: File::NULL,
        out: File::NULL)
      raise Failure, "#{command.join(" ")} failed" unless done
      (children_s - before) * 1000
    end

    def children_s = Process.times.then { |times| times.cutime + times.cstime }

    # @return [Float] ms of CPU, nothing kept from before
    def page(path, page, from_s)
      app = Holdup::Web.new(store: -> { Holdup::Store.open(path, read_only: true) }, dir: File.dirname(path),
        auth: :none, clock: EndOfWeek.new)
      address = "#{page}#{page.include?("?") ? "&" : "?"}since=#{(Week::NOW_S - from_s) / 3600}h"
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      status, _, body = app.call(Rack::MockRequest.env_for(address))
      body.each { |part| part }
      raise Failure, "#{address} answered #{status}" unless status == 200
      (Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before) * 1000
    end

    def sizes
      pairs = @pairs.map { |seconds, count, rows| ["#{count} pairs of #{seconds} s", rows.to_s, ""] }
      windows = @windows.map { |seconds, count| ["windows of #{seconds} s: endpoints", count.to_s, ""] }
      all = [["all pairs", @pairs.sum(&:last).to_s, megabytes(@tables.fetch("pair_blocks"))],
        ["all windows", @windows.sum(&:last).to_s, megabytes(@tables.fetch("windows"))],
        ["blocks of the ten slowest", @slowest.to_s, megabytes(@tables.fetch("slowest_units"))],
        ["the file", "", megabytes(@bytes)]]
      ResultTable.new(["", "rows", "MB"], pairs + windows + all)
    end

    def megabytes(bytes) = format("%.1f", bytes / 1e6)

    def times
      rows = [*@reports, *@pages].map { |name, found| [name, *found.map { |ms| format("%.0f", ms) }] }
      ResultTable.new(["CPU, ms, over", *SPANS.keys], rows)
    end

    def about
      "#{Week::ENDPOINTS} endpoints of a host, of which each waits for #{Week::HOLDERS - 1} others, itself " \
        "and for nobody in each minute, and the ten slowest requests of each, with ids and traces. As the " \
        "store has it: minutes of two days, five minutes before, rolled up and pruned as a collector does; " \
        "the second day is a copy of the first one, but for its last #{(Week::NOW_S - Week::LAST_S) / 60} " \
        "minutes. " \
        "Reports are processes with all that they load; pages are answered by a new server, with YJIT, in " \
        "this process. Medians of #{@times}."
    end

    def budgets
      [Budget.new("the file", STORE_MB.round, @bytes / 1e6, "MB"),
        Budget.new("the commit of a minute, with its roll-up, CPU", COMMIT_MS, @commits.median, "ms"),
        Budget.new("the slowest report", REPORT_MS, @reports.values.flatten.max, "ms"),
        Budget.new("the slowest page", PAGE_MS, @pages.values.flatten.max, "ms")]
    end

    def notes
      ["The commit of a minute has 20 windows, 340 pairs and 200 slow requests, more than any round of ten " \
        "seconds. They took #{@commits} ms of CPU."]
    end
  end
end
