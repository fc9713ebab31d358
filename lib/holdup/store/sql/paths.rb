# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # One path of each series of requests, the one that was told last: beside the series, and no part of
      # what it is.
      class Paths
        # @param connection [Connection]
        # @param series [Catalog]
        def initialize(connection, series)
          @connection = connection
          @series = series
        end

        # @param paths [Hash{Series => String}]
        # @return [void]
        def save(paths)
          @connection.write { |db|
            paths.each { |series, path| db[:series].where(id: @series.id(series)).update(path:) }
          }
        end

        # @return [Hash{Series => String}]
        def to_h
          @connection.read { |db| db[:series].exclude(path: nil).select_hash(:id, :path) }.to_h { |id, path|
            [@series.value(id), path]
          }
        end
      end
    end
  end
end
