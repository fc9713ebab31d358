# frozen_string_literal: true

require "sequel/core"
require "uri"

module Holdup
  module Store
    class Sql
      # What the databases behind a server have in common: several collectors write at once, a command
      # makes the tables, nothing limits their size, and a connection may break.
      #
      # Locks keep that exact. A transaction takes them in one order, so that two never wait for each other:
      #
      # - a host: two collectors of one host would read the same row, add to it, and lose one sum. The lock
      #   also fences: the one that gets it knows that no commit for that host is left behind, unfinished, by
      #   a killed collector or a broken connection
      # - tiers: shared by commits, which decide by them where a minute goes; alone for a step of roll-up or
      #   pruning, which changes them
      # - catalogs: one transaction at a time adds names
      class DatabaseServer
        # Longer than a step of roll-up takes.
        LOCK_WAIT_S = 10
        # How long a transaction whose client is gone without a word may keep its locks.
        IDLE_S = 60
        CONNECT_S = 5
        # How long to wait for the answer to a statement.
        ANSWER_S = 60
        Errors = ServerErrors
        # Tables by which a store is recognised.
        OURS = %i[checkpoints tiers windows].freeze
        # All of a store. Where a migration broke off, there are some of them.
        TABLES = %i[
          answers arrivals audit_entries checkpoints collector_checkpoints deaths host_sums hosts notices
          prediction_outcomes process_samples recent_figures schema_info series settings skipped_rows
          slowest_units tiers unit_samples windows
        ].freeze
        # Errors that are about one row. Sequel turns an ArgumentError into a database error.
        ROW = [Sequel::ConstraintViolation, Sequel::InvalidValue, ArgumentError].freeze
        # The first that fits.
        CLASSES = {
          ROW => ErrorTable.of(:bad_row),
          [Sequel::PoolTimeout] => ErrorTable.of(:connections, setting: "max_connections"),
          [Sequel::SerializationFailure] => ErrorTable.of(:conflict),
          [Sequel::DatabaseLockTimeout] => ErrorTable.of(:locked),
          [Errno::ECONNRESET, Errno::EPIPE, Errno::ECONNABORTED, EOFError] => ErrorTable.of(:lost),
          [Sequel::DatabaseDisconnectError, Sequel::DatabaseConnectionError, SystemCallError,
            IOError] => ErrorTable.of(:unreachable)
        }.freeze
        private_constant :OURS, :ROW, :CLASSES

        # URL without its password.
        attr_reader :location

        # @param lock_wait_s [Numeric] how long to wait for another writer
        # @param answer_s [Numeric] how long to wait for an answer
        def initialize(url, read_only: false, lock_wait_s: LOCK_WAIT_S, answer_s: ANSWER_S)
          @url = url
          @location = Store.redact(url)
          @read_only = read_only
          @lock_wait_s = lock_wait_s
          @answer_s = answer_s
        end

        def disconnect(db) = db.disconnect

        def read_only? = @read_only

        def isolates? = true

        # Its tables are made by `holdup store migrate`, whose user has more rights than a collector.
        def migrates_itself? = false

        # Removes what a failed first migration left, where the database does not undo that itself.
        def clear(_db) = nil

        # What replicates may need the primary key of each table.
        def needs_keys? = true

        # Its age limits what it keeps: nothing is cheap that counts the bytes of rows.
        def default_max_bytes = Float::INFINITY

        # A server that was moved or restored ends the connection.
        def identity = location

        def leave(_db, _before) = nil

        # The server reuses the space.
        def shrink(_db) = nil

        # @param checkpoint [Sequel::SQL::Blob]
        def insert_checkpoint(db, segment, checkpoint)
          db[:checkpoints].insert(segment:, checkpoint:)
        end

        # Whether it can concatenate the blobs of any number of rows.
        def concatenates?(_db) = true

        # Whether the roll-up also keeps sums over all hosts (see WindowRows::HostSums). They need a database
        # that can concatenate.
        def sums_hosts?
          false
        end

        # Whether pairs are in blobs of many (see PairBlocks), which it can't add up itself.
        def packs_pairs? = false

        # Whether it looks up windows by their starts faster than it reads a range of starts, where few series
        # are wanted.
        def finds_starts? = false

        # Whether it can concatenate those of a roll-up, at most 24 rows.
        def concatenates_some?(db) = concatenates?(db)

        # @raise [StoreError] when another program has its tables there
        def check_owner(tables)
          return if (OURS - tables).empty? || (tables - TABLES).empty?
          raise Errors::ForeignTables.new(location:, tables: tables.map(&:to_s).sort)
        end

        # Error for tables that are older than this Holdup, or that are not there.
        def unmigrated(found:, known:)
          return Errors::NotMigrated.new(location:) if found.zero?
          Errors::OlderSchema.new(location:, found:, known:)
        end

        def corrupt(reason) = Errors::Corrupt.new(location:, reason:)

        # @param error [Exception] of the driver, or of Sequel with that of the driver as its cause
        # @return [StoreError]
        def translate(error)
          cause = error.cause || error
          return cause if cause.is_a?(StoreError)
          entry = meaning(error, cause)
          Errors.of(entry, location:, reason: reason(cause), seconds: @lock_wait_s)
        end

        # Whether a retry needs a new connection. After a conflict or a lock the old one is as good.
        def reopen?(error)
          [StoreError::Locked, Errors::Conflict, StoreError::Full, StoreError::BadRow].none? do |kind|
            kind === error
          end
        end

        private

        # Of what is kept of single units.
        def unit_bytes(db)
          %i[unit_samples slowest_units arrivals].sum { |table| db[table].sum(:bytes).to_i }
        end

        # The code of the server decides. An error with none, or an unknown one, is what the class means that
        # a driver or Sequel gave it.
        # @return [ErrorTable::CodeMeaning]
        def meaning(error, cause)
          found = entry(cause, cause.message) || (entry(error, error.message) if code(error))
          return found if found
          CLASSES.each do |classes, entry|
            return entry if classes.any? { |one| one === error || one === cause }
          end
          ErrorTable::UNEXPECTED
        end

        # @return [ErrorTable::CodeMeaning, nil]
        def entry(error, text)
          code = code(error)
          table.find(code, text) if code || driver?(error)
        end

        # Errors of Sequel and Ruby say what those have to say, not a server.
        def driver?(error)
          [*ROW, Sequel::PoolTimeout, SystemCallError].none? { |kind| kind === error }
        end

        # @yieldreturn [Sequel::Database]
        # @raise [Errors::InvalidUrl]
        def opening
          yield
        rescue URI::Error
          raise Errors::InvalidUrl.new(location:)
        end

        # @yieldreturn [Object] loads the driver
        # @raise [StoreError] with what to add to the Gemfile
        def loading(gem)
          yield
        rescue LoadError => error
          raise unless error.path.nil? || error.path.start_with?(gem)
          raise Errors::MissingGem.new(location:, gem:)
        end
      end
    end
  end
end
