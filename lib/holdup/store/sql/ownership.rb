# frozen_string_literal: true

require "sqlite3"

module Holdup
  module Store
    class Sql
      # Whether a SQLite file is a store of Holdup: it says so in its header, or it has the tables of one that
      # an older Holdup has made, or it is empty. Nothing is written into any other.
      class Ownership
        # In the header of the file (PRAGMA application_id): "HLDP".
        ID = 0x484C4450
        TABLES = %w[hosts processes progress schema_info series settings tiers windows].freeze
        private_constant :TABLES

        # @param connection [SQLite3::Database] nothing was written to it yet
        # @param location [String]
        def initialize(connection, location)
          @connection = connection
          @location = location
        end

        # @return [void]
        # @raise [StoreError::NotOurs]
        def check
          return if id == ID || (id.zero? && (tables.empty? || (TABLES - tables).empty?))
          raise StoreError::NotOurs.new(location: @location, **other)
        end

        # Says in the header whose it is.
        # @return [void]
        def claim
          @connection.execute("PRAGMA application_id = #{ID}") unless id == ID
        end

        private

        def id
          @id ||= @connection.get_first_value("PRAGMA application_id")
        end

        def tables
          @tables ||= @connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").flatten
        end

        # Whose it is, as far as it says so.
        def other
          what = "it is a database of something else"
          return {kind: :foreign_id, reason: "#{what}, by its application_id #{id}", id:} if tables.empty?
          found = "#{tables.first(3).join(", ")}#{" ..." if tables.size > 3}"
          {kind: :foreign, reason: "#{what}, with the tables #{found}", tables: found}
        end
      end
    end
  end
end
