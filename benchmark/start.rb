# frozen_string_literal: true

require "tmpdir"
require "zlib"
require_relative "support/bench"

module Bench
  # How long a command takes from its start to its end, which is mostly the code that it loads.
  class Start
    STORE = File.expand_path("../test/fixtures/storefront.sqlite3.gz", __dir__)
    EXE = File.expand_path("../exe/holdup", __dir__)
    BUNDLER = "-rbundler/setup"
    # What `bundle exec` sets would be loaded before all of them.
    UNSET = {"RUBYOPT" => nil, "BUNDLER_SETUP" => nil}.freeze
    # Of the whole, in ms.
    LIMIT_MS = 400
    COLUMNS = ["", "CPU, ms, median (min..max)", "elapsed, ms"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds = quick ? 3 : 15
    end

    # @return [Result]
    def call
      Dir.mktmpdir("holdup-bench") do |folder|
        commands = commands(store(folder))
        commands.each_value { |command| run(command) } # fills the file system's cache
        @samples = samples(commands)
      end
      Result.new(title: "The start of a command", about:, tables: [ResultTable.new(COLUMNS, rows)],
        budgets: [Budget.new("holdup report, elapsed", LIMIT_MS, median("holdup report", 1), "ms")])
    end

    private

    # @return [String] its URL
    def store(folder)
      path = File.join(folder, "store.sqlite3")
      File.binwrite(path, Zlib::GzipReader.open(STORE, &:read))
      url = "sqlite://#{path}"
      Holdup::Store.open(url).tap { |store| store.commit([], {}) }.close # which brings it up to date
      url
    end

    def commands(url)
      report = [BUNDLER, EXE, "report", "--store", url, "--since", "2026-01-01"]
      {"Ruby alone" => %w[-e 0], "Ruby and Bundler" => [BUNDLER, "-e", "0"],
       "holdup version" => [BUNDLER, EXE, "version"], "holdup report" => report,
       "holdup report --lang ja" => [*report, "--lang", "ja"]}
    end

    # @return [Hash{String => Array<(Float, Float)>}] CPU and elapsed time in ms, of each round
    def samples(commands)
      found = commands.transform_values { [] }
      @rounds.times do |round|
        commands.keys.rotate(round).each { |name| found[name] << run(commands[name]) }
      end
      found
    end

    def run(arguments)
      before = [cpu_s, elapsed_s]
      done = system(UNSET, RbConfig.ruby, *arguments, in: File::NULL, out: File::NULL, err: File::NULL)
      raise Failure, "#{arguments.join(" ")} failed" unless done
      [cpu_s, elapsed_s].zip(before).map { |now, then_| (now - then_) * 1000 }
    end

    # Of children that have ended.
    def cpu_s = Process.times.then { |times| times.cutime + times.cstime }

    def elapsed_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def rows
      @samples.map do |name, runs|
        [name, *runs.transpose.map { |values| Spread.of(values).to_s }]
      end
    end

    def median(name, which) = Spread.of(@samples.fetch(name).map { |run| run[which] }).median

    def about
      "Each command in a process of its own, #{@rounds} times, in turns; `holdup report` of a kept " \
        "recording of the storefront (SQLite). Where an application runs `bundle exec holdup`, the second " \
        "line is its own."
    end
  end
end
