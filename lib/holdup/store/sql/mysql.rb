# frozen_string_literal: true

require "digest"
require "sequel/core"

module Holdup
  module Store
    class Sql
      # Everything particular to MySQL (from 8.0 on) and MariaDB (from 10.5 on), with the driver that the URL
      # names. A store has a database of its own.
      #
      # Locks by name belong to the session here, and are released after the transaction that needs them.
      class Mysql < DatabaseServer
        # Translates the errors of MySQL and MariaDB for the owner of a store, by their numbers.
        module Faults
          # Errors that using the store may raise.
          def errors
            [Sequel::Error, SystemCallError, *(::Trilogy::Error if defined?(::Trilogy::Error)),
              *(::Mysql2::Error if defined?(::Mysql2::Error))]
          end

          private

          def table = ErrorTable::MysqlCodes

          # @return [Integer, nil] the driver's own errors have none
          def code(error)
            number = error.error_code if error.respond_to?(:error_code)
            number ||= error.error_number if error.respond_to?(:error_number)
            number unless number.to_i.zero?
          end

          def entry(error, text)
            super || (ErrorTable::MysqlCodes.of_state(error.sql_state, text) if error.respond_to?(:sql_state))
          end

          # The reason has no number in front, as the driver writes it.
          def reason(error)
            error.message.lines.first.to_s.strip.sub(/\A\d{4}: /, "")
          end
        end

        include Faults

        # Text is compared byte by byte, with its spaces at the end.
        COLLATIONS = {true => "utf8mb4_nopad_bin", false => "utf8mb4_0900_bin"}.freeze
        SQL_MODE = %i[strict_all_tables no_engine_substitution].freeze
        SAMPLE = 500
        ROW_OVERHEAD_BYTES = 200
        BLOBS = Window::HISTOGRAMS
        # Far more than the windows of a day have.
        CONCATENATED_BYTES = 1 << 20
        private_constant :COLLATIONS, :SQL_MODE, :SAMPLE, :ROW_OVERHEAD_BYTES, :BLOBS, :CONCATENATED_BYTES

        def connect
          driver = @url[/\A\w+/]
          loading(driver) { require driver }
          options = {max_connections: 1, keep_reference: false, encoding: "utf8mb4", sql_mode: SQL_MODE,
                     connect_timeout: CONNECT_S, read_timeout: @answer_s, write_timeout: @answer_s}
          options[:host] = nil if @url.match?(/[?&]socket=/) # a driver prefers even an empty name
          opening { Sequel.connect(@url, **options) }.tap { |db| prepare(db) }
        end

        # @param locks [Array<String>] see DatabaseServer
        # @param alone [Boolean] for a step of roll-up or pruning
        def write(db, locks: [], alone: false)
          holding(db, locks.uniq.sort) do
            db.transaction(isolation: :committed) do
              tiers = db[:tiers].select(:seconds)
              (alone ? tiers.for_update : tiers.lock_style(:share)).all
              yield
            end
          end
        end

        def read(db, &) = db.transaction(isolation: :repeatable, &)

        # @return [Object, nil] the block's value; nil when another collector rolls up or prunes
        def upkeep(db, &)
          return unless lock(db, "upkeep", 0)
          begin
            yield
          ensure
            unlock(db, ["upkeep"])
          end
        end

        # Every statement that makes a table ends a transaction, so a name is locked.
        def migrating(db)
          holding(db, ["migrate"]) do
            if db.tables.empty?
              db.run("ALTER DATABASE CHARACTER SET utf8mb4 COLLATE #{COLLATIONS.fetch(db.mariadb?)}")
            end
            yield
          end
        end

        # What a migration left that broke off: the server makes each table at once. Where there are rows, it
        # was something else.
        def clear(db)
          left = db.tables & TABLES
          return unless left.any? && (left - [:schema_info]).all? { |table| db[table].empty? }
          db.synchronize do
            db.run("SET SESSION foreign_key_checks = 0")
            left.each { |table| db.drop_table?(table) }
          ensure
            db.run("SET SESSION foreign_key_checks = 1")
          end
        end

        # No other process adds names until the end of the transaction.
        # @return [Boolean] true: another process may have added it before
        def lock_catalogs(db)
          take(db, "catalogs") unless @held.include?("catalogs")
          true
        end

        def clock_s(db) = db.get(Sequel.function(:unix_timestamp)).to_i

        # An estimate of what the rows take: the files of tables never shrink.
        def bytes(db, **)
          lengths = BLOBS.map { |name| Sequel.function(:length, name) }.reduce(:+)
          sample = db[:windows].reverse(:id).limit(SAMPLE).select(lengths.as(:length))
          size = sample.from_self.avg(:length).to_f + ROW_OVERHEAD_BYTES
          (db[:windows].count * size).round + unit_bytes(db)
        end

        # Concatenates the blobs of a group, up to CONCATENATED_BYTES. The server cuts a longer result off
        # without an error, so sums of any span are made of single windows.
        def concatenated(column)
          Sequel.function(:group_concat, Sequel.lit("? SEPARATOR ''", Sequel[column]))
        end

        def concatenation(bytes) = bytes

        def concatenates?(_db) = false

        # A proxy may have given us a session without our settings.
        def concatenates_some?(db) = db.get(Sequel.lit("@@group_concat_max_len")) >= CONCATENATED_BYTES

        private

        def prepare(db)
          # Both are set, for rows and for tables, so that what is said of a lock is true whatever the
          # server's own limit is.
          seconds = [@lock_wait_s.ceil, 1].max
          db.run("SET SESSION innodb_lock_wait_timeout = #{seconds}, lock_wait_timeout = #{seconds}")
          db.run("SET SESSION group_concat_max_len = #{CONCATENATED_BYTES}")
          db.run("SET SESSION idle_transaction_timeout = #{IDLE_S}") if db.mariadb?
          kept = true
        ensure
          db.disconnect unless kept
        end

        # Runs the block with these locks, and releases those too that it takes.
        def holding(db, names)
          @held = []
          names.each { |name| take(db, name) }
          yield
        ensure
          unlock(db, @held)
          @held = []
        end

        def take(db, name)
          raise StoreError::Locked.new(location:, seconds: @lock_wait_s) unless lock(db, name, @lock_wait_s)
          @held << name
        end

        # @return [Boolean] false: another process has had it all that time
        # @raise [StoreError]
        def lock(db, name, seconds)
          started_s = now_s
          answer = db.get(Sequel.function(:get_lock, key(db, name), seconds))
          raise interrupted(db, now_s - started_s) if answer.nil?
          answer == 1
        end

        # GET_LOCK answers NULL if the server ends another statement with an error.
        def interrupted(db, took_s)
          setting = db.mariadb? ? "max_statement_time" : "max_execution_time"
          limit_s = db.get(Sequel.lit("@@#{setting}")).to_f / (db.mariadb? ? 1 : 1000)
          reason = "GET_LOCK was interrupted after #{took_s.round(1)} s"
          return Errors::Cancelled.new(location:, reason:) unless limit_s.positive? && took_s >= limit_s
          Errors::TimeLimit.new(location:, setting:, reason: "#{reason}, #{setting} is #{limit_s} s")
        end

        def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)

        # A connection that broke has released them.
        def unlock(db, names)
          names.each { |name| db.get(Sequel.function(:release_lock, key(db, name))) }
        rescue Sequel::DatabaseError
          nil
        end

        # A key has at most 64 characters; names are of the whole server.
        def key(db, name)
          "holdup #{Digest::SHA256.hexdigest("#{db.opts[:database]} #{name}")[0, 40]}"
        end
      end
    end
  end
end
