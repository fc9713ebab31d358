# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Connects when it is first used and again after a failure: the next call uses a store again that was
      # unreachable, moved away or repaired. Every error leaves as a StoreError.
      class Connection
        def initialize(dialect, schema: Schema.new)
          @dialect = dialect
          @schema = schema
          @epoch = 0
        end

        # @return [Integer] grows with each new connection: what was read through an older one may be of
        #   another file
        attr_reader :epoch

        attr_reader :dialect

        # Runs the block in one transaction that may write; nests.
        # @raise [StoreError]
        def write
          raise StoreError::ReadOnly.new(location: @dialect.location) if @dialect.read_only?
          use { |db| @dialect.write(db) { yield db } }
        end

        # Runs the block on one consistent view; nests.
        # @raise [StoreError]
        def read
          use { |db| @dialect.read(db) { yield db } }
        end

        # Runs the block without a transaction, for what the database refuses to do inside one.
        def use(&)
          nested? ? yield(@db) : translating(&)
        end

        # Inside `write`: runs the block, and when one row's fault ends it, nothing of it stays while the rest
        # goes on.
        # @return [StandardError, nil] that fault
        # @raise [StandardError] what is not one row's fault
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

        # Inside a transaction nothing is checked, and no failure is more than the transaction's: it has to
        # end where it began.
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

        # A refused store is disconnected: each try, once a minute, would keep one more handle.
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
