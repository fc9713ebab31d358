# frozen_string_literal: true

require "fileutils"
require "sequel/core"
require "sqlite3"

module Holdup
  module Store
    class Sql
      # Everything particular to SQLite: opening it safely, its errors, its size.
      #
      # - WAL, so that a report reads while the collector writes; checked, because it silently stays off on
      #   some network file systems
      # - A busy handler of our own: SQLite's `busy_timeout` sleeps with the GVL held, which would stall the
      #   measured application when the collector is a thread in it
      # - Writers begin IMMEDIATE, so they wait for a lock at the start and never lose it in the middle
      class Sqlite
        include Faults

        JOURNAL_LIMIT = 16 * 1024 * 1024
        WAIT_STEP_S = 0.005

        NULS = "SELECT length(CAST(group_concat(part, '') AS BLOB)) " \
          "FROM (SELECT x'0100' AS part UNION ALL SELECT x'0001')"
        NO_LOG = [SQLite3::CantOpenException, SQLite3::ReadOnlyException].freeze
        private_constant :JOURNAL_LIMIT, :WAIT_STEP_S, :NULS, :NO_LOG

        # The path.
        attr_reader :location

        # @param busy_s [Numeric] how long to wait for another writer
        # @param page_limit [Integer, nil] pages the file may have, for tests of a full store
        def initialize(location, read_only: false, busy_s: 1, page_limit: nil)
          @location = Utf8.of(absolute(location))
          @read_only = read_only
          @busy_s = busy_s
          @page_limit = page_limit
        end

        def read_only? = @read_only

        def connect
          @read_only ? connect_to_read : connect_to_write
        end

        # @return [Array] changes when the file was moved away or emptied, or when its log was removed: writes
        #   would be lost then
        def identity
          [@location, *beside].map { |path| inode(path) } << File.zero?(@location)
        end

        # The connection calls this before it closes when some of its files are not there any more.
        # @param before [Array] the identity that it began with
        def leave(db, before)
          return if @read_only
          return forget_emptied_file if File.zero?(@location)
          save_log(db) if before.first == identity.first
        end

        def disconnect(db) = db.disconnect

        # A writer that has the right to write holds all locks.
        def write(db, **, &)
          db.transaction(mode: :immediate, &)
        end

        def read(db, &) = db.transaction(mode: :deferred, &)

        def upkeep(_db) = yield

        # Whether readers see nothing of later writes.
        def isolates? = true

        # A process that opens the file to write makes it, and migrates it.
        def migrates_itself? = true

        def migrating(_db) = yield

        def needs_keys? = false

        def clear(_db) = nil

        def check_owner(_tables) = nil

        def unmigrated(found:, known:)
          return StoreError::BeingMade.new(location:) if found.zero?
          StoreError::OlderSchema.new(location:, found:, known:)
        end

        def corrupt(reason) = StoreError::Corrupt.new(location:, reason:)

        def lock_catalogs(_db) = false

        def default_max_bytes = DEFAULT_MAX_BYTES

        def clock_s(_db) = nil

        # Bytes in use; the file may be longer.
        def bytes(db, **)
          (pragma(db, :page_count) - pragma(db, :freelist_count)) * pragma(db, :page_size)
        end

        # Returns free pages to the file system, a few at a time so that no other process waits for long.
        def shrink(db)
          db.fetch("PRAGMA incremental_vacuum(2000)").all
        end

        # Bytes as they are: in the text of a statement they would be twice as long, and parsed. SQLite takes
        # a String of binary encoding as a blob, which no text is equal to.
        def insert_checkpoint(db, segment, checkpoint)
          arguments = {"segment" => segment.dup.force_encoding(Encoding::UTF_8), "checkpoint" => checkpoint}
          statement = "INSERT INTO checkpoints (segment, checkpoint) VALUES (:segment, :checkpoint)"
          db.execute_insert(statement, arguments:)
        end

        # Concatenates the blobs of a group, as text, which SQLite does not inspect.
        def concatenated(column)
          Sequel.function(:group_concat, column, "")
        end

        # Bytes again, also beside those of pairs.
        def concatenation(bytes) = bytes.b

        # Whether that works: older versions stop at the first NUL.
        def concatenates?(db)
          @concatenates ||= db.get(Sequel.lit("(#{NULS})")) == 4
        end

        def concatenates_some?(db) = concatenates?(db)

        def finds_starts? = true

        # A file mostly has one host.
        def sums_hosts?
          false
        end

        def packs_pairs? = true

        private

        # The write-ahead log and its index.
        def beside = ["#{@location}-wal", "#{@location}-shm"]

        def inode(path)
          stat = File.stat(path)
          [stat.dev, stat.ino]
        rescue SystemCallError
          nil
        end

        # SQLite writes into an emptied file, too, what its log still has, when the last connection is closed:
        # a part of the tables, and nobody can read them. Without the names the next connection begins anew.
        def forget_emptied_file
          FileUtils.rm_f([@location, *beside])
        end

        # Its latest commits are only in a log that has lost its name.
        def save_log(db)
          db.fetch("PRAGMA wal_checkpoint(TRUNCATE)").all
        rescue Sequel::DatabaseError
          nil # the next connection says what is wrong
        end

        def connect_to_write
          check_place
          FileUtils.mkdir_p(File.dirname(@location), mode: 0o700)
          # SQLite would make it readable by everyone.
          File.open(@location, File::RDWR | File::CREAT, 0o600).close
          sequel(@location) { |connection| prepare_writer(connection) }
        end

        # A path that begins with ~ needs a home folder.
        def absolute(location)
          File.expand_path(location)
        rescue ArgumentError => error
          raise StoreError::Unreachable.new(location:, reason: error.message)
        end

        # SQLite would report an I/O error.
        def check_place
          unless @location.valid_encoding?
            raise StoreError::Unreachable.new(location:, reason: "its path is not valid UTF-8")
          end
          return if !File.exist?(@location) || File.file?(@location)
          unless File.directory?(@location)
            raise StoreError::Unreachable.new(location:, reason: "it is not a regular file")
          end
          name = Dir.glob("*.sqlite3", base: @location).min || "holdup.sqlite3"
          raise StoreError::Folder.new(location:, inside: File.join(@location, name))
        end

        # SQLite can't create a write-ahead log on a read-only file system; no process can write there either,
        # so SQLite may read the file as it is.
        def connect_to_read
          check_place
          look_for_file
          sequel(@location, readonly: true) { |connection| read_first(connection) }
        rescue Sequel::DatabaseError => error
          raise unless NO_LOG.any? { |kind| kind === error.cause } && !File.size?("#{@location}-wal")
          path = @location.gsub(/[%?#]/) { |char| format("%%%02X", char.ord) }
          sequel("file:#{path}?immutable=1", readonly: true)
        end

        # A user without access to the folder gets an error other than the one for a missing file.
        def look_for_file
          File.stat(@location)
        rescue Errno::ENOENT, Errno::ENOTDIR
          folder = File.dirname(@location)
          raise StoreError::Missing.new(location:, folder: (folder unless File.exist?(folder)))
        end

        # @yieldparam connection [SQLite3::Database] a new one; closed when the block fails
        def sequel(database, **options, &prepare)
          after_connect = prepare && ->(connection) { closing_on_failure(connection, &prepare) }
          Sequel.connect(adapter: "sqlite", database:, timeout: 0, max_connections: 1, keep_reference: false,
            after_connect:, **options)
        end

        def closing_on_failure(connection)
          yield connection
          kept = true
        ensure
          connection.close unless kept
        end

        def prepare(connection)
          connection.busy_handler { |count| wait?(count) }
        end

        # Opening a file reads none of it.
        def read_first(connection)
          prepare(connection)
          Ownership.new(connection, location).check
        end

        # The nearest folder that exists and that this user can see.
        def nearest_folder
          folder = File.dirname(@location)
          folder = File.dirname(folder) until File.directory?(folder)
          folder
        end

        def wait?(count)
          return false if count >= @busy_s / WAIT_STEP_S
          sleep(WAIT_STEP_S)
          true
        end

        def prepare_writer(connection)
          prepare(connection)
          ownership = Ownership.new(connection, location)
          ownership.check
          unless wal?(connection)
            reason = "its file system can't do write-ahead logging"
            raise StoreError::Unreachable.new(location:, reason:)
          end
          ownership.claim
          connection.execute("PRAGMA synchronous = NORMAL")
          connection.execute("PRAGMA journal_size_limit = #{JOURNAL_LIMIT}")
          connection.execute("PRAGMA max_page_count = #{Integer(@page_limit)}") if @page_limit
        end

        # Both pragmas write the head of a new file, where SQLite does not call the busy handler if two
        # processes make the file at once. The vacuum mode comes first, because the first page fixes it.
        # Elsewhere SQLite does call the handler, so the retries are limited by time, not by number.
        def wal?(connection, deadline_s = monotonic_s + @busy_s)
          connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
          connection.get_first_value("PRAGMA journal_mode = WAL") == "wal"
        rescue SQLite3::BusyException
          raise if monotonic_s > deadline_s
          sleep(WAIT_STEP_S)
          wal?(connection, deadline_s)
        end

        def monotonic_s
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end

        def pragma(db, name)
          db.fetch("PRAGMA #{name}").single_value
        end

        # A database in the memory of this process, for tests and for a look without a file. It lives as long
        # as this object, whatever is closed meanwhile.
        class MemoryDatabase < Sqlite
          def initialize
            super("")
            @location = "memory:"
          end

          def connect
            @database ||= sequel(":memory:") do |connection|
              connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            end
          end

          def disconnect(_db) = nil

          # It has one connection, which threads take for a statement each. A page may wait, while it reads,
          # for a thread that reads too.
          def isolates? = false

          # It has no file that others could replace.
          def identity = nil

          def leave(_db, _before) = nil
        end

        # Whether a SQLite file belongs to Holdup: by its header, by its tables (a copy by `.dump` loses the
        # header), or because it is empty. Holdup writes into no other file.
        class Ownership
          # PRAGMA application_id: "HLDP".
          ID = 0x484C4450
          TABLES = %w[checkpoints hosts process_samples schema_info series settings tiers windows].freeze
          private_constant :TABLES

          # @param connection [SQLite3::Database] nothing was written to it yet
          def initialize(connection, location)
            @connection = connection
            @location = location
          end

          # @raise [StoreError::NotOurs]
          def check
            return if id == ID || (id.zero? && (tables.empty? || (TABLES - tables).empty?))
            raise StoreError::NotOurs.new(location: @location, **other)
          end

          # Marks the header as Holdup's.
          def claim
            @connection.execute("PRAGMA application_id = #{ID}") unless id == ID
          end

          private

          def id
            @id ||= @connection.get_first_value("PRAGMA application_id")
          end

          def tables
            names = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
            @tables ||= @connection.execute(names).flatten
          end

          # The program that the file belongs to, if it says so.
          def other
            what = "it is a database of something else"
            return {kind: :foreign_id, reason: "#{what}, by its application_id #{id}", id:} if tables.empty?
            names = tables.first(3).join(", ")
            names += " ..." if tables.size > 3
            {kind: :foreign, reason: "#{what}, with the tables #{names}", tables: names}
          end
        end
      end
    end
  end
end
