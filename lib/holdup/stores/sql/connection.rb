# frozen_string_literal: true

require_relative "../../errors"
require_relative "schema"

module Holdup
  module Stores
    class Sql
      # Connects when it is first used and again after a failure, so that a store which was unreachable, moved away or
      # repaired is simply used again by whoever tries next. Every error leaves as a StoreError.
      class Connection
        # @param dialect [Sqlite]
        # @param schema [Schema]
        def initialize(dialect, schema: Schema.new)
          @dialect = dialect
          @schema = schema
          @epoch = 0
        end

        # @return [Integer] grows with each new connection: what was read through an older one may be of another file
        attr_reader :epoch

        # @return [Sqlite]
        attr_reader :dialect

        # Runs the block in one transaction that may write; nests.
        # @yieldparam db [Sequel::Database]
        # @raise [StoreError]
        def write
          raise StoreError::ReadOnly.new(location: @dialect.location) if @dialect.read_only?
          use { |db| @dialect.write(db) { yield db } }
        end

        # Runs the block on one consistent view; nests.
        # @yieldparam db [Sequel::Database]
        # @raise [StoreError]
        def read = use { |db| @dialect.read(db) { yield db } }

        # Runs the block without a transaction, for what the database refuses to do inside one.
        # @yieldparam db [Sequel::Database]
        def use
          yield db
        rescue DamagedData => error
          raise StoreError::Corrupt.new(location: @dialect.location, reason: error.message)
        rescue StoreError => error
          close if @dialect.reopen?(error)
          raise
        rescue *@dialect.errors => error
          raise failure(@dialect.translate(error))
        end

        # @return [Integer]
        def schema_version = use { |db| @schema.version(db) }

        # @return [nil]
        def close
          @db&.disconnect
          @db = @identity = nil
        end

        private

        def failure(error)
          close if @dialect.reopen?(error)
          error
        end

        # Inside a transaction nothing is checked: it has to end where it began.
        def db
          return @db if @db&.in_transaction?
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

        # A store that is refused is let go of: whoever tries again each minute would keep one more handle each time.
        def check(db)
          @dialect.read_only? ? @schema.check(db, @dialect.location) : @schema.migrate(db, @dialect.location)
          kept = true
        ensure
          db.disconnect unless kept
        end
      end
    end
  end
end
