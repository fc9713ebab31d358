# frozen_string_literal: true

require "sequel/core"
require "socket"
require "zlib"

module Holdup
  module Store
    class Sql
      # Everything particular to PostgreSQL, from version 13 on.
      #
      # - Its tables are in a schema of their own ("holdup", or search_path of the URL), so that a database
      #   can be shared
      # - Locks and settings end with their transaction, so PgBouncer may hand each transaction to another
      #   connection
      class Postgres < DatabaseServer
        # Translates PostgreSQL's errors for the owner of a store, by their SQLSTATE.
        module Faults
          # Errors that using the store may raise.
          def errors
            [Sequel::Error, SystemCallError, *(PG::Error if defined?(PG::Error))]
          end

          private

          def table = ErrorTable::PostgresCodes

          # @return [String, nil] a connection that breaks has no result
          def code(error)
            return unless defined?(PG::Error) && error.is_a?(PG::Error)
            error.result&.error_field(PG::PG_DIAG_SQLSTATE) || PG::ERROR_CLASSES.key(error.class)
          end

          # What the server says in one line, without the name of the driver's class. Before a connection is
          # there, several addresses may have been tried: the last line says most.
          def reason(error)
            lines = error.message.lines.map(&:strip).reject(&:empty?)
            line = lines.find { |text| text.match?(/\b(ERROR|FATAL|PANIC):/) } || lines.first.to_s
            line.sub(/\A(PQconsumeInput\(\) )?(ERROR|FATAL|PANIC):\s*/, "")
          end
        end

        include Faults

        # Closes a connection whose answer is late. The driver itself waits for as long as the network
        # acknowledges what was sent, and a proxy does that however long its server hangs.
        class AnswerLimit
          def initialize(seconds)
            @seconds = seconds
            @step_s = seconds / 10.0
          end

          # @raise [StandardError] `late`, when the block was ended
          def watch(connection, late)
            @deadline = now + @seconds
            @connection = connection
            @thread = thread unless @thread&.alive?
            yield
          rescue => error
            raise((@deadline == :passed) ? late : error)
          ensure
            @deadline = nil
          end

          private

          # It ends some time after the last statement.
          def thread
            Thread.new do
              idle_from = now
              until now - idle_from > @seconds
                sleep(@step_s)
                deadline = @deadline
                idle_from = now if deadline
                hang_up if deadline.is_a?(Numeric) && now > deadline
              end
            end.tap do |thread|
              thread.report_on_exception = false
              thread.thread_variable_set(:fork_safe, true)
            end
          end

          def hang_up
            @deadline = :passed
            Socket.for_fd(@connection.socket_io.fileno).tap { |socket| socket.autoclose = false }.shutdown
          rescue PG::Error, SystemCallError, IOError
            nil # it is closed already
          end

          def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end

        SCHEMA = "holdup"
        # First half of the keys of our advisory locks: "HLDP".
        LOCKS = 0x484C4450
        # Notices a peer that is gone without a word after about a minute.
        KEEPALIVE = {keepalives_idle: 30, keepalives_interval: 10, keepalives_count: 3,
                     tcp_user_timeout: IDLE_S * 1000}.freeze
        # Rows that tell the average size of all.
        SAMPLE = 500
        # Rows below which a page counts them.
        COUNTED = 100_000
        # Bytes that a row takes beside its data, in the heap and in its two indexes.
        ROW_OVERHEAD_BYTES = 150
        # Type of sums. Most are whole numbers, and a decimal takes ten times as long to make.
        NUMERIC = 1700
        WHOLE = /\A-?\d+\z/
        # Another collector rolls up or prunes.
        BUSY = :holdup_upkeep_elsewhere
        # Settings of each transaction. The planner takes lengths and starts of windows for independent: it
        # expects ten times too many rows, would read the whole table, and compile the statement. Each query
        # has an index. Extended statistics (mcv) of both columns help only with a target of 1000, not of 100,
        # and only the owner could make them. ANALYZE takes ten times as long then: 3.3 s instead of 0.34 for
        # 486,000 rows.
        PLANNING = "SET LOCAL enable_seqscan = off; SET LOCAL jit = off"
        private_constant :LOCKS, :KEEPALIVE, :SAMPLE, :COUNTED, :ROW_OVERHEAD_BYTES, :NUMERIC, :WHOLE, :BUSY,
          :PLANNING

        def connect
          loading("pg") { require "pg" }
          options = {max_connections: 1, keep_reference: false, connect_timeout: CONNECT_S, encoding: "UTF8",
                     driver_options: KEEPALIVE}
          limit = AnswerLimit.new(@answer_s)
          late = Errors::Unreachable.new(location:, reason: "no answer within #{@answer_s} s")
          opening { Sequel.connect(@url, **options) }.tap do |db|
            db.add_conversion_proc(NUMERIC) { |text| WHOLE.match?(text) ? text.to_i : BigDecimal(text) }
            db.define_singleton_method(:log_connection_yield) do |sql, connection, arguments = nil, &run|
              limit.watch(connection, late) { super(sql, connection, arguments, &run) }
            end
          end
        end

        # @param locks [Array<String>] see DatabaseServer
        # @param alone [Boolean] for a step of roll-up or pruning, of which one runs at a time
        def write(db, locks: [], alone: false)
          db.transaction do
            set_up(db)
            throw BUSY if alone && !db.get(Sequel.function(:pg_try_advisory_xact_lock, *key("upkeep")))
            take(db, tiers: !alone, names: [*("tiers" if alone), *locks.uniq.sort])
            yield
          end
        end

        def read(db)
          db.transaction do
            db.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; " \
              "SET LOCAL search_path = #{db.literal(schema)}; #{lock_timeout}; #{PLANNING}")
            yield
          end
        end

        # @return [Object, nil] the block's value; nil when another collector rolls up or prunes
        def upkeep(_db)
          done = false
          value = catch(BUSY) { yield.tap { done = true } }
          value if done
        end

        # The transaction is for one that makes or changes tables.
        def migrating(db)
          db.transaction do
            set_up(db)
            take(db, names: ["migrate"])
            db.run("CREATE SCHEMA IF NOT EXISTS #{db.literal(schema.to_sym)}") unless schema?(db)
            yield
          end
        end

        # No other process adds names until the end of the transaction.
        # @return [Boolean] true: another process may have added it before
        def lock_catalogs(db)
          take(db, names: ["catalogs"])
          true
        end

        def clock_s(db) = db.get(Sequel.lit("extract(epoch FROM clock_timestamp())")).to_i

        # An estimate of what the rows take: the files of tables never shrink.
        # @param count [Boolean] whether rows are counted, for pruning; it takes a second for ten million
        def bytes(db, count: true)
          tables = %i[windows host_sums].sum { |table| table_bytes(db, table, count:) }
          tables.round + unit_bytes(db)
        end

        def sums_hosts?
          true
        end

        # Bytes as they are: in the text of a statement they would be twice as long, and parsed.
        def insert_checkpoint(db, segment, checkpoint)
          db.execute_dui("INSERT INTO checkpoints (segment, checkpoint) VALUES ($1, $2)",
            arguments: [segment, checkpoint])
        end

        # Concatenates the blobs of a group. Base64 takes half as long as PostgreSQL's own text, which has two
        # digits for each byte: they are most of what a report about a fleet reads.
        def concatenated(column)
          blobs = Sequel.function(:string_agg, column, Sequel.lit("''::bytea"))
          Sequel.function(:encode, blobs, "base64")
        end

        # @param text [String] of `concatenated`
        def concatenation(text)
          text.unpack1("m")
        end

        private

        def table_bytes(db, table, count:)
          sample = db[table].reverse(:id).limit(SAMPLE).as(:w)
          size = db.from(sample).get(Sequel.lit("avg(pg_column_size(w.*))")).to_f + ROW_OVERHEAD_BYTES
          rows = count ? db[table].count : rows(db, table)
          rows * size
        end

        # The count is that of the last ANALYZE, unless there are so few rows that counting takes no time.
        def rows(db, table)
          estimate = db[:pg_class].where(oid: Sequel.lit("'#{table}'::regclass")).get(:reltuples).to_i
          (estimate < COUNTED) ? db[table].count : estimate
        end

        # All settings take one round trip. A statement after a lock has to see what was committed before.
        def set_up(db)
          db.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; " \
            "SET LOCAL search_path = #{db.literal(schema)}; " \
            "#{lock_timeout}; " \
            "SET LOCAL idle_in_transaction_session_timeout = #{IDLE_S * 1000}")
        end

        # The limit is set so that what is said of a lock is true, whatever this user's own limit is.
        def lock_timeout = "SET LOCAL lock_timeout = #{(@lock_wait_s * 1000).ceil}"

        # One statement takes all locks, in this order.
        def take(db, names:, tiers: false)
          locks = names.map { |name| Sequel.function(:pg_advisory_xact_lock, *key(name)) }
          locks.unshift(Sequel.function(:pg_advisory_xact_lock_shared, *key("tiers"))) if tiers
          columns = locks.each_with_index.map { |lock, index| lock.as(:"lock#{index}") }
          db.select(*columns).first unless columns.empty?
        end

        # Each of two stores in one database has locks of its own.
        def key(name)
          [LOCKS, [Zlib.crc32("#{schema} #{name}")].pack("L").unpack1("l")]
        end

        def schema
          @schema ||= @url[/[?&]search_path=([^&]+)/, 1] || SCHEMA
        end

        def schema?(db)
          db[Sequel[:pg_catalog][:pg_namespace]].where(nspname: schema).any?
        end
      end
    end
  end
end
