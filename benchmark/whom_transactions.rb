# frozen_string_literal: true

require "holdup/loader"
require_relative "../test/support/postgres_server"
require_relative "support/bench"
require_relative "support/rubies"
require_relative "support/whom/row_lock_watcher"

module Bench
  # Whether transactions are open for as long as another session has to wait for the row that they lock, by
  # PostgreSQL's own account, while other threads hold the GVL: on both Rubies.
  class WhomTransactions
    LIBRARIES = ["Active Record", "Sequel"].freeze
    # Of each number of threads that compute.
    COUNTS = [40, 20, 10].freeze
    COLUMNS = ["", "threads that compute", "transactions", "open, ms each", "of it GVL wait",
      "before the row was locked", "locked by Holdup, ms each", "waited by pg_locks, ms each",
      "off by"].freeze
    # %
    LIMIT = 5

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @counts = quick ? [2, 2, 2] : COUNTS
    end

    # @return [Result]
    def call
      @found = Rubies.all.flat_map do |version, options|
        LIBRARIES.flat_map { |library| measured("#{library}, Ruby #{version}", library, options) }
      end
      Result.new(title: "Transactions: how long rows are locked, against PostgreSQL", about:,
        tables: [ResultTable.new(COLUMNS, @found.map { |level| row(level) })], budgets:, notes:)
    end

    private

    # While so many threads compute. Holdup's: `count`, `open_ns`, `stalled_ns`; `rows`: RowLockWatcher's.
    # Times are means, in ms.
    TransactionLevel = Data.define(:name, :hogs, :count, :open_ns, :stalled_ns, :rows) do
      def open_ms = open_ns / 1e6 / count

      def stalled_ms = stalled_ns / 1e6 / count

      # From BEGIN until the other session waits for the row.
      def before_ms = 1000 * rows.sum { |row| row.from_s - row.began_s } / rows.size

      def waited_ms = 1000 * rows.sum(&:waited_s) / rows.size

      def locked_ms = open_ms - before_ms

      # %
      def off = 100 * (locked_ms - waited_ms).abs / waited_ms

      # On a busy machine the other session may come too late for one.
      def transactions = (rows.size == count) ? count.to_s : "#{rows.size} of #{count}"
    end

    def measured(name, library, options)
      said = nil
      rows = PostgresServer.run do |postgres|
        RowLockWatcher.new(postgres.url).watch { said = ask(library, postgres.url, **options) }
      end
      rows = rows.group_by(&:level)
      said.map do |line|
        level = line.fetch("level")
        TransactionLevel.new(name:, hogs: level, count: line["count"], open_ns: line["open"],
          stalled_ns: line["stalled"], rows: rows.fetch(level))
      end
    end

    def ask(library, address, env: {}, **options)
      Fresh.call("row_locks", library, *@counts, options: [], env: {**env, "ADDRESS" => address}, **options)
    end

    def row(level)
      times = [level.open_ms, level.stalled_ms, level.before_ms, level.locked_ms, level.waited_ms]
      [level.name, level.hogs, level.transactions, *times.map { |ms| format("%.1f", ms) },
        format("%.2f %%", level.off)]
    end

    def about
      "A transaction locks a row by its first statement, sleeps for 400 ms and computes, while none, one " \
        "or three other threads compute; #{@counts.join(", ")} of them, one after the other. Another " \
        "session waits for that row all the while, and a third one looks at `pg_locks` 100 times a second: " \
        "it has since when the other one waits, and until when. Holdup's part of that is how long the " \
        "transaction is open, less the time from BEGIN until the other session waits, which the server's " \
        "clock has."
    end

    def budgets
      @found.map do |level|
        Budget.new("#{level.name}, computing threads: #{level.hogs}; off by", LIMIT, level.off, "%")
      end
    end

    def notes
      ["\"of it GVL wait\": the part in which the transaction's thread waited for the GVL, with the row " \
        "locked or just before. The statements of a transaction end with such a wait, too.",
        "The end of a wait is known to 5 ms, half of the time between two looks. Holdup's time ends later, " \
        "when the answer of COMMIT is there."]
    end
  end
end
