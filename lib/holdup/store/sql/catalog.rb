# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # A small table of values that windows refer to (series, settings, hosts), cached both ways.
      class Catalog
        # @param encode [Proc] value => [Hash of the columns that identify it, Hash of the others]
        def initialize(connection, table, encode:, decode:)
          @connection = connection
          @table = table
          @encode = encode
          @decode = decode
          forget
        end

        # @return [Integer] the value's id; a new value is added
        def id(value)
          forget unless @epoch == @connection.epoch
          @ids[value] ||= find(value) || add(value)
        end

        def value(id)
          forget unless @epoch == @connection.epoch
          @values[id] || load[id] || raise(DamagedData.new("row #{id} of #{@table} is damaged"))
        end

        # @return [Hash{Integer => Object}] everything that can be read, as of this snapshot
        def load
          @connection.once(@table) { read }
        end

        # A failed transaction takes its new ids back; a new connection may lead to another file.
        def forget
          @epoch = @connection.epoch
          @ids = {}
          @values = {}
        end

        private

        def read
          rows = @connection.read { |db| db[@table].all }
          forget unless @epoch == @connection.epoch
          @values = rows.to_h { |row| [row[:id], @values[row[:id]] || decode_or_nil(row)] }.compact
        end

        def decode_or_nil(row)
          @decode.call(row)
        rescue DamagedData
          nil
        end

        def find(value)
          @connection.read { |db| db[@table].where(@encode.call(value).first).get(:id) }
        end

        def add(value)
          @connection.write do |db|
            added = find(value) if @connection.dialect.lock_catalogs(db)
            added || db[@table].insert(@encode.call(value).reduce(:merge))
          end
        end
      end
    end
  end
end
