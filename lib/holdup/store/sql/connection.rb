# frozen_string_literal: true

require "monitor"
require "sequel/core"

module Holdup
  module Store
    class Sql
      # Connects on first use and again after a failure, so a store that was unreachable, moved or repaired
      # works at the next call. Every error leaves as a StoreError. Threads take turns with it.
      class Connection
        def initialize(dialect, schema: Schema.new)
          @dialect = dialect
          @schema = schema
          @epoch = 0
          @snapshot = nil
          @turn = Monitor.new
        end

        # Grows with each new connection: what was read through an older one may come from another file.
        attr_reader :epoch

        attr_reader :dialect

        # Runs the block in one write transaction; nests. Where the database ends it because of another one,
        # or the connection breaks before all is written, it runs again from the start, see Retries. After a
        # COMMIT without an answer it is unknown whether it holds, so then it doesn't run again.
        # @param locks [Array<String>] names of what no other process may write meanwhile
        # @param alone [Boolean] whether none may write at all, for a step of upkeep
        def write(locks: [], alone: false)
          raise StoreError::ReadOnly.new(location: @dialect.location) if @dialect.read_only?
          in_turn do
            next yield(@db) if nested?
            written = false
            retrying(->(error) { !written || error.is_a?(ServerErrors::Conflict) }) do
              written = false
              use { |db| @dialect.write(db, locks:, alone:) { yield(db).tap { written = true } } }
            end
          end
        end

        # Runs the block, whose writes are `alone`, unless another process is at such work.
        # @return [Object, nil] the block's value
        def upkeep(&)
          in_turn do
            @upkeep = true
            use { |db| @dialect.upkeep(db, &) }
          ensure
            @upkeep = false
          end
        end

        # Makes the tables, or brings them to the newest schema.
        def migrate
          raise StoreError::ReadOnly.new(location: @dialect.location) if @dialect.read_only?
          in_turn do
            close
            translating { @db = connect(migrate: true) }
          end
        end

        # Runs the block on one snapshot of the database; nests. It runs again where the database ends it, see
        # Retries.
        # @param again [#call] whether it may; a block that has handed rows out may not
        def read(again: ->(_error) { true })
          return translating { yield(in_turn { db }) } unless @dialect.isolates?
          in_turn do
            next yield(@db) if nested?
            retrying(again) { use { |db| @dialect.read(db) { snapshot { yield db } } } }
          end
        end

        # Small tables are asked for with nearly each query. Within a snapshot they stay the same.
        # @return [Object] the block's value, or what it was earlier in this snapshot
        def once(key)
          return yield unless @snapshot
          @snapshot.fetch(key) { @snapshot[key] = yield }
        end

        # Runs the block without a transaction, for statements that the database refuses inside one.
        def use(&)
          in_turn { nested? ? yield(@db) : translating { yield db } }
        end

        # Inside `write`: runs the block in a savepoint, which one bad row rolls back while the rest goes on.
        # @return [StandardError, nil] the fault of the row; other errors are raised
        def attempt
          @db.transaction(savepoint: true) { yield }
          nil
        rescue => error
          fault = fault_of(error)
          raise if fault.is_a?(StoreError) && !fault.is_a?(StoreError::BadRow)
          fault
        end

        def schema_version
          read { |db| @schema.version(db) }
        end

        def close
          in_turn do
            @dialect.disconnect(@db) if @db
            @db = @identity = nil
          end
        end

        private

        def in_turn(&) = @turn.synchronize(&)

        def snapshot
          @snapshot = {}
          yield
        ensure
          @snapshot = nil
        end

        # A transaction has to end on the connection where it began: nothing is checked inside it.
        def nested? = !!@db&.in_transaction?

        # Ids of a transaction that was taken back are invalid. A lock of `upkeep` may have gone with its
        # connection.
        def retrying(allowed)
          retries ||= Retries.new
          yield
        rescue StoreError => error
          raise unless allowed.call(error) && !(@upkeep && @dialect.reopen?(error)) && retries.again?(error)
          @epoch += 1
          retry
        end

        def translating
          yield
        rescue DamagedData => error
          raise @dialect.corrupt(error.message)
        rescue StoreError, *@dialect.errors => error
          fault = fault_of(error)
          close if @dialect.reopen?(fault)
          raise fault
        end

        def fault_of(error)
          return error if error.is_a?(StoreError)
          known = @dialect.errors.any? { |kind| kind === error }
          known ? @dialect.translate(error) : error
        end

        def db
          leave if @db && @dialect.identity != @identity
          @db ||= connect
        end

        def leave
          @dialect.leave(@db, @identity)
          close
        end

        def connect(migrate: @dialect.migrates_itself? && !@dialect.read_only?)
          db = @dialect.connect
          check(db, migrate)
          @identity = @dialect.identity
          @epoch += 1
          db
        end

        # Disconnects a refused store: each retry, once a minute, would leak a handle.
        def check(db, migrate)
          if migrate
            @dialect.migrating(db) { @schema.migrate(db, @dialect) }
          else
            @dialect.read(db) { @schema.check(db, @dialect) }
          end
          kept = true
        ensure
          db.disconnect unless kept
        end

        # The numbered migrations of `store/migrations`, which only run forwards.
        class Schema
          FOLDER = File.expand_path("../migrations", __dir__)
          # Read once: a process that gives its rights up may not read the folder any more.
          VERSIONS = Dir.children(FOLDER).map(&:to_i).freeze
          # The migrator's name for it.
          TABLE = :schema_info
          private_constant :TABLE

          def initialize(folder: FOLDER)
            @folder = folder
          end

          # The newest version that this Holdup knows.
          def known
            versions = (@folder == FOLDER) ? VERSIONS : Dir.children(@folder).map(&:to_i)
            versions.max
          end

          # 0 for a new store.
          def version(db)
            db.tables.include?(TABLE) ? db[TABLE].get(:version) : 0
          end

          # Refuses a store that a newer Holdup wrote, and one that must be migrated first.
          def check(db, dialect)
            found = current(db, dialect)
            raise dialect.unmigrated(found:, known:) if found < known
          end

          # Migrates to the newest version, once even if two processes try at the same time.
          def migrate(db, dialect)
            found = current(db, dialect)
            dialect.clear(db) if found.zero?
            add_key(db) if found.positive? && dialect.needs_keys?
            advance(db) if found < known
          end

          private

          def current(db, dialect)
            dialect.check_owner(db.tables)
            found = version(db)
            raise StoreError::NewerSchema.new(location: dialect.location, found:, known:) if found > known
            found
          end

          # The migrator reads the version under the write lock, so the loser of a race finds nothing to do. A
          # transaction that only takes the lock when it writes would fail if another process wrote since it
          # began.
          def advance(db)
            Sequel.extension :migration
            db.transaction(mode: :immediate) do
              db.create_table?(TABLE) { Integer :version, default: 0, null: false, primary_key: true }
              Sequel::IntegerMigrator.new(db, @folder).run
              add_tiers(db)
            end
          end

          # The migrator's own table would have no key. A server that replicates may refuse to write to it.
          def add_key(db)
            return if db.schema(TABLE).any? { |_, column| column[:primary_key] }
            db.alter_table(TABLE) { add_primary_key [:version] }
          end

          def add_tiers(db)
            missing = Tier.fresh.map(&:to_h).reject { |tier| db[:tiers].where(seconds: tier[:seconds]).any? }
            db[:tiers].multi_insert(missing)
          end
        end
      end
    end
  end
end
