# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Connects on first use and again after a failure, so a store that was unreachable, moved or repaired
      # works at the next call. Every error leaves as a StoreError.
      class Connection
        def initialize(dialect, schema: Schema.new)
          @dialect = dialect
          @schema = schema
          @epoch = 0
        end

        # Grows with each new connection: what was read through an older one may come from another file.
        attr_reader :epoch

        attr_reader :dialect

        # Runs the block in one write transaction; nests.
        def write
          raise StoreError::ReadOnly.new(location: @dialect.location) if @dialect.read_only?
          use { |db| @dialect.write(db) { yield db } }
        end

        # Runs the block on one consistent view; nests.
        def read
          use { |db| @dialect.read(db) { yield db } }
        end

        # Runs the block without a transaction, for statements that the database refuses inside one.
        def use(&)
          nested? ? yield(@db) : translating(&)
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
          use { |db| @schema.version(db) }
        end

        def close
          @db&.disconnect
          @db = @identity = nil
        end

        private

        # A transaction has to end on the connection where it began: nothing is checked inside it.
        def nested? = !!@db&.in_transaction?

        def translating
          yield db
        rescue DamagedData => error
          raise StoreError::Corrupt.new(location: @dialect.location, reason: error.message)
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
          close if @db && @dialect.identity != @identity
          @db ||= open
        end

        def open
          db = @dialect.connect
          check(db)
          @identity = @dialect.identity
          @epoch += 1
          db
        end

        # Disconnects a refused store: each retry, once a minute, would leak a handle.
        def check(db)
          if @dialect.read_only?
            @schema.check(db, @dialect.location)
          else
            @schema.migrate(db, @dialect.location)
          end
          kept = true
        ensure
          db.disconnect unless kept
        end
      end
    end
  end
end
