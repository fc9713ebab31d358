# frozen_string_literal: true

module Holdup
  module Store
    class Clickhouse
      # The tables, in what version 18.16 knows. Each row of `minutes`, `samples` and `units` names the commit
      # that it belongs to by session and number, and counts once that commit's own row is in `commits` (see
      # CommitSession). Of rows that arrived twice, the server removes one in the background
      # (ReplacingMergeTree); before that, a read takes one of them.
      class Schema
        VERSION = 1
        NUMBERS = [:count, :errors, *Window::SUMS].freeze
        HISTOGRAMS = Window::HISTOGRAMS.map { |name|
          "#{name}_count Int64, #{name}_sum Int64, #{name}_min Int64, #{name}_max Int64, " \
          "#{name}_zero Int64, `#{name}.slot` Array(UInt16), `#{name}.n` Array(UInt64)"
        }.join(", ").freeze
        TOTALS = "#{NUMBERS.map { |name| "#{name} Int64" }.join(", ")}, #{HISTOGRAMS}".freeze
        WINDOW = "seconds UInt32, start_s Int64, series UInt64, setting UInt64, host String"

        # `day`: of the commit, by the collector's clock.
        TABLES = {
          # Names behind ids: kind is series, setting or path.
          names: ["kind String, id UInt64, stamp UInt64, text String", "ReplacingMergeTree(stamp)",
            "kind, id"],
          # kind is commit, claim, close, checkpoint, state, skipped or outcome, see CommitSession.
          commits: ["kind String, name String, session UInt64, number UInt64, epoch UInt64, upto UInt64, " \
            "stamp Int64, text String, written DateTime DEFAULT now()", "ReplacingMergeTree(number)",
            "kind, name, session"],
          # Windows as commits bring them: minutes, and longer ones of another store.
          minutes: ["day Date, session UInt64, number UInt64, #{WINDOW}, #{TOTALS}", "ReplacingMergeTree()",
            "seconds, start_s, series, setting, host, session, number", "day"],
          # Longer windows. `step`: the step of the roll-up that wrote the row, see RollupSteps.
          windows: ["step UInt64, #{WINDOW}, #{TOTALS}", "ReplacingMergeTree()",
            "seconds, start_s, series, setting, host, step", "(seconds, toYYYYMM(toDateTime(start_s)))"],
          samples: ["day Date, session UInt64, number UInt64, at_s Int64, host String, pid Int64, " \
            "stamp UInt64, facts String", "ReplacingMergeTree()", "at_s, host, pid, session, number", "day"],
          units: ["day Date, session UInt64, number UInt64, start_s Int64, setting UInt64, host String, " \
            "seen Int64, units String", "ReplacingMergeTree()",
            "start_s, setting, host, session, number", "day"],
          # kind is claim or step.
          steps: ["kind String, epoch UInt64, slot UInt64, text String, written DateTime DEFAULT now()",
            "ReplacingMergeTree(epoch)", "kind, slot"],
          # Up to which commit of each session a step goes.
          reached: ["day Date, step UInt64, session UInt64, number UInt64", "ReplacingMergeTree()",
            "step, session", "day"],
          schema_info: ["version UInt32", "ReplacingMergeTree()", "version"]
        }.freeze
        # Tables by which a store is recognised.
        OURS = %w[commits minutes windows].freeze
        private_constant :OURS

        def initialize(client)
          @client = client
        end

        # @raise [StoreError] unless its tables are there
        def check
          return if @checked
          found = version
          raise ServerErrors::NotMigrated.new(location: @client.location) if found.zero?
          if found > VERSION
            raise StoreError::NewerSchema.new(location: @client.location, found:, known: VERSION)
          end
          @checked = true
        end

        # @return [Integer] 0 without tables
        def version
          tables = @client.rows("SELECT name FROM system.tables WHERE database = currentDatabase()").flatten
          return 0 if tables.empty? || !tables.include?("schema_info")
          @client.rows("SELECT max(version) FROM schema_info").flatten.first.to_i
        end

        # Each statement may run again.
        def migrate
          check_owner
          TABLES.each { |table, parts| @client.run(create(table, *parts)) }
          @client.insert("schema_info", [{version: VERSION}])
          @checked = false
          check
        end

        private

        def create(table, columns, engine, order, partition = nil)
          partition &&= "PARTITION BY #{partition} "
          "CREATE TABLE IF NOT EXISTS #{table} (#{columns}) ENGINE = #{engine} #{partition}" \
            "ORDER BY (#{order})"
        end

        # @raise [StoreError] when another program has its tables there
        def check_owner
          tables = @client.rows("SELECT name FROM system.tables WHERE database = currentDatabase()").flatten
          ours = TABLES.keys.map(&:to_s)
          return if tables.empty? || (OURS - tables).empty? || (tables - ours).empty?
          raise ServerErrors::ForeignTables.new(location: @client.location, tables: tables.sort)
        end
      end
    end
  end
end
