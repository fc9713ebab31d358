# frozen_string_literal: true

# How a database finds the rows of a store's statements, by its own account.
module QueryPlans
  # What Sequel needs of a logger. The library of that name is a gem from Ruby 4.0 on.
  class Statements
    attr_reader :lines

    def initialize
      @lines = []
    end

    def info(line)
      @lines << line
    end

    alias_method :warn, :info
    alias_method :error, :info
  end

  # The tables that grow with time and with the fleet.
  LARGE = %w[windows pair_blocks host_sums process_samples unit_samples slowest_units arrivals audit_entries
    checkpoints].freeze
  STATEMENT = /\(\d[\d.]*s\) ((?:SELECT|DELETE|UPDATE) .*)/

  # @param dialect [Holdup::Store::Sql::Sqlite, Holdup::Store::Sql::Postgres]
  # @yieldparam store [Holdup::Store::Sql] that the dialect is of
  # @return [Hash{String => Array<String>}] each statement that the block ran, and the lines of its plan
  def plans(dialect)
    log = Statements.new
    dialect.define_singleton_method(:connect) { super().tap { |db| db.loggers << log } }
    store = Holdup::Store::Sql.new(dialect)
    yield store
    log.lines.join("\n").scan(STATEMENT).flatten.uniq.to_h { |sql| [sql, explained(dialect, sql)] }
  ensure
    store&.close
  end

  # @return [Hash{String => Array<String>}] the plans that read all rows of a large table
  def scans(plans)
    plans.select do |_sql, lines|
      lines.any? { |line| line.match?(/\b(?:SCAN|Seq Scan on) (?:#{LARGE.join("|")})\b/) }
    end
  end

  # Also where a table is so small that reading all of it is faster.
  def explained(dialect, sql)
    db = dialect.connect
    dialect.read(db) do
      postgres = db.database_type == :postgres
      db.run("SET LOCAL enable_seqscan = off") if postgres
      db.fetch("EXPLAIN #{"QUERY PLAN " unless postgres}#{sql}").map { |row| row.values.last.to_s }
    end
  ensure
    db&.disconnect
  end
end
