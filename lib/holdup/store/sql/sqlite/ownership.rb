# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # Whether a SQLite file belongs to Holdup: by its header, by its tables (a copy by `.dump` loses the
      # header), or because it is empty. Holdup writes into no other file.
      class Sqlite::Ownership
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
