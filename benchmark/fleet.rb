# frozen_string_literal: true

require "rack/mock_request"
require "io/wait"
require "stringio"
require_relative "../test/support/clickhouse_server"
require_relative "../test/support/mariadb_server"
require_relative "../test/support/postgres_server"
require_relative "support/bench"
require_relative "support/fleet_writers"
require_relative "support/older_time"

module Bench
  # What a fleet's store has to do: a thousand processes write for an hour, and a day and a month are read.
  class Fleet
    # `minutes`: simulated; `ticks`: of the last ones, each is six commits, as a collector makes them
    FleetPlan = Data.define(:hosts, :minutes, :ticks, :times)
    WHOLE = FleetPlan.new(hosts: 62, minutes: 60, ticks: 2, times: 3)
    QUICK = FleetPlan.new(hosts: 3, minutes: 12, ticks: 1, times: 1)
    DAYS = 30
    DAY_S = 86_400
    NOW_S = 20_700 * DAY_S + 17 * 3600 + 5 * 60
    # A clock that stands at the end of the hour.
    EndOfHour = Data.define do
      def realtime_s = NOW_S

      def realtime_ns = NOW_S * SimulatedHost::NS

      def monotonic_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end
    COMMIT_S = 1
    LATE_S = 5
    PATIENCE_S = 120
    SETTLED_S = 300
    # Span, and in how many seconds it is to be read.
    SPANS = {"24h" => 1, "30d" => 3}.freeze
    COMMANDS = {"report" => %w[report], "fleet" => %w[fleet], "advice, kept ready" => %w[advise],
                "advice, computed" => %w[advise --fresh]}.freeze
    OVERVIEW = "overview (dashboard)"

    # Servers of tests have their folders in memory.
    module FolderOnDisk
      def data_folder(prefix) = Dir.mktmpdir(prefix)
    end

    # As somebody would run it for a fleet, not for tests: flushed to the disk, vacuumed, with memory.
    class FlushingPostgres < PostgresServer
      extend FolderOnDisk

      private

      def settings
        super.merge(fsync: "on", full_page_writes: "on", autovacuum: "on", shared_buffers: "2GB",
          max_wal_size: "4GB", checkpoint_timeout: "5min")
      end
    end

    # The same for MariaDB.
    class FlushingMariadb < MariadbServer
      extend FolderOnDisk

      private

      def settings
        super.merge("innodb-flush-method" => "fsync", "innodb-doublewrite" => "ON",
          "innodb-flush-log-at-trx-commit" => 1, "innodb-buffer-pool-size" => "2G",
          "innodb-log-file-size" => "1G")
      end
    end

    # ClickHouse flushes nothing by default: it relies on replicas. The memory of one query is that of the
    # configuration that comes with it; servers of tests have less.
    class ClickhouseOnDisk < ClickhouseServer
      extend FolderOnDisk

      MEMORY = <<~XML
        <yandex><profiles><default>
          <max_memory_usage>10000000000</max_memory_usage>
        </default></profiles></yandex>
      XML

      def start(users: MEMORY) = super

      # Until the server has merged what was written at once: it takes a CPU, and a real month is written in a
      # month.
      def settle
        deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SETTLED_S
        until query("SELECT count() FROM system.merges").to_i.zero?
          late = Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
          raise Failure, "fleet: ClickHouse still merges" if late
          sleep(1)
        end
      end
    end

    # Server, whether its collectors commit every ten seconds (ClickHouse prefers few commits), and whether it
    # is read.
    SERVERS = {"PostgreSQL" => [FlushingPostgres, true, true], "MariaDB" => [FlushingMariadb, true, false],
               "ClickHouse" => [ClickhouseOnDisk, false, true]}.freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @plan = quick ? QUICK : smaller(WHOLE)
      only = ENV["BENCH_PARTS"]&.split(",")
      @servers = only ? SERVERS.slice(*only) : SERVERS
      @reading = ENV["BENCH_READ"] != "0"
    end

    # @return [Result]
    def call
      @written = {}
      @read = {}
      @servers.each { |name, (server, often, read)| measure(name, server, often:, read:) }
      Result.new(title: "A fleet's store", about:, tables: [writing, *(reading if @read.any?)], budgets:,
        notes:)
    end

    private

    # For a machine that has not got an hour.
    def smaller(plan)
      hosts, minutes = ENV.values_at("BENCH_HOSTS", "BENCH_MINUTES").map { |text| text && Integer(text) }
      plan.with(hosts: hosts || plan.hosts, minutes: minutes || plan.minutes)
    end

    def measure(name, server_class, often:, read:)
      warn("bench: fleet: #{name} starts")
      server = server_class.start
      url = server.create("fleet")
      Holdup::Store.open(url).tap(&:migrate!).close
      plan = often ? @plan : @plan.with(ticks: 0)
      @written[name] = FleetWriters.new(url, plan, server:, end_s: NOW_S).call
      @read[name] = questions(url, server) if read && @reading
    ensure
      server&.stop
    end

    # @return [Hash{Array(String, String) => Float}] seconds, by question and span
    def questions(url, server)
      warn("bench: fleet: older time")
      OlderTime.new(url, now_s: NOW_S, days: DAYS).fill
      server.settle if server.respond_to?(:settle)
      RubyVM::YJIT.enable if defined?(RubyVM::YJIT)
      Fresh.scratch do |dir|
        keep_advice(url, dir)
        SPANS.keys.product([*COMMANDS.keys, OVERVIEW]).to_h do |span, question|
          warn("bench: fleet: #{question} over #{span}")
          command = COMMANDS[question]
          ask = command ? command([*command, "--since", span], url, dir) : overview(url, dir, span)
          [[question, span], median_s(&ask)]
        end
      end
    end

    # As the collector does that is asked to, one answer in each process.
    def keep_advice(url, dir)
      warn("bench: fleet: advice is kept ready")
      keeping = Holdup::Advise::KeepCommand
      keep = command(%w[advise --keep], url, dir)
      (keeping::SPANS.size * keeping::KINDS.size).times { median_s(times: 1, &keep) }
    end

    # In a process of its own. An answer that comes late is asked for once, and given up after PATIENCE_S.
    def median_s(times: @plan.times, &)
      reader, writer = IO.pipe
      pid = fork do
        took = [seconds(&)]
        took << seconds(&) until took.size == times || took.first > LATE_S
        writer.puts(took.sort[took.size / 2])
        exit!(true)
      rescue => error
        warn(error.full_message)
        exit!(false)
      end
      writer.close
      answered = reader.wait_readable(PATIENCE_S)
      Process.kill(:KILL, pid) unless answered
      Process.wait(pid)
      answered ? Float(reader.read) : PATIENCE_S
    end

    # @param arguments [Array<String>] of the command line
    def command(arguments, url, dir)
      env = {"HOLDUP_STORE" => url, "HOLDUP_DIR" => dir, "HOME" => dir}
      lambda do
        output = StringIO.new
        console = Holdup::CLI::Console.new(out: output, err: output, env:, clock: EndOfHour.new)
        status = Holdup::CLI.new(console:).run(arguments)
        raise Failure, "fleet: #{arguments.join(" ")}:\n#{output.string}" unless status == Holdup::CLI::OK
      end
    end

    # Nothing is kept from one answer to the next.
    def overview(url, dir, span)
      lambda do
        app = Holdup::Web.new(store: -> { Holdup::Store.open(url, read_only: true) }, dir:, auth: :none,
          clock: EndOfHour.new)
        status, _, body = app.call(Rack::MockRequest.env_for("/?since=#{span}"))
        raise Failure, "fleet: the overview over #{span} answered #{status}" unless status == 200
        body.each { |part| part }
      end
    end

    def seconds
      before = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - before
    end

    def about
      processes = @plan.hosts * SimulatedHost::PROCESSES
      "#{processes} processes on #{@plan.hosts} hosts with #{SimulatedHost::SERIES} endpoints, " \
        "#{SimulatedHost::RATE} requests a second each, write #{@plan.minutes} simulated minutes as fast " \
        "as #{FleetWriters::WRITERS} writers on this machine can; in reality these hosts commit " \
        "#{format("%.1f", @plan.hosts / 10.0)} times a second. Each commit has the windows, " \
        "checkpoints and samples of one host: of a minute, and of ten seconds in the last " \
        "#{@plan.ticks} minutes (not in ClickHouse, for which docs/guide/collect.md advises 60 s). " \
        "Meanwhile one process rolls up and prunes. The servers flush to the disk. #{about_reports}" \
        "Bytes: the server's folder afterwards, with its logs."
    end

    def about_reports
      return "" if @read.empty?
      "For the reports, earlier windows are copies of the rolled-up ones: five minutes of a day, hours and " \
        "days of #{DAYS} days; ClickHouse has merged them before it is asked. Times of reports: median of " \
        "#{@plan.times} in a warm process with YJIT, once where it takes more than #{LATE_S} s, given up " \
        "after #{PATIENCE_S}. "
    end

    def writing
      columns = ["store", "rows/s", "commits/s", "commit: median, ms", "p95, ms", "slowest, ms",
        "server: CPU, ms a commit", "bytes a row", "longest roll-up, s", "writers: CPU, ms a commit"]
      ResultTable.new(columns, @written.map { |name, written| [name, *written.cells] })
    end

    def reading
      questions = [*COMMANDS.keys, OVERVIEW]
      columns = @read.keys.product(SPANS.keys)
      rows = questions.map do |question|
        [question, *columns.map { |name, span| cell(@read[name].fetch([question, span])) }]
      end
      ResultTable.new(["seconds", *columns.map { |name, span| "#{name}, #{span}" }], rows)
    end

    def cell(seconds) = (seconds < PATIENCE_S) ? format("%.2f", seconds) : "> #{PATIENCE_S}"

    def budgets
      commits = @written.map do |name, written|
        Budget.new("#{name}, p95 of a commit", COMMIT_S, written.p95_s, "s")
      end
      [*commits, *@read.flat_map { |name, times| read_budgets(name, times) }]
    end

    # To compute an advice replays other settings, so it says nothing of the other questions.
    def read_budgets(name, times)
      SPANS.flat_map do |span, limit_s|
        over = times.select { |(_, over), _| over == span }.transform_keys(&:first)
        computed, others = over.partition { |question, _| question.end_with?("computed") }.map(&:to_h)
        slowest = "#{name}, the slowest of #{others.keys.join("; ")} over #{span}"
        [Budget.new(slowest, limit_s, others.values.max, "s"),
          *computed.map { |question, s| Budget.new("#{name}, #{question} over #{span}", limit_s, s, "s") }]
      end
    end

    def notes
      @written.filter_map do |name, written|
        next if written.locked.zero?
        "#{name}: #{written.locked} commits waited for the roll-up for too long and were made again."
      end
    end
  end
end
