# frozen_string_literal: true

require "sequel"

module Holdup
  module Store
    class Sql
      # Where the reader of each segment stands.
      class Progress
        # @param connection [Connection]
        def initialize(connection)
          @connection = connection
        end

        # @return [Hash{String => String}] segment => binary
        def to_h
          @connection.read { |db|
            db[:progress].select_hash(:segment, :state).transform_values { |state| String.new(state) }
          }
        end

        # @param progress [Hash{String => String, nil}] nil deletes
        # @return [void]
        def save(progress)
          @connection.write do |db|
            progress.each do |segment, state|
              db[:progress].where(segment:).delete
              db[:progress].insert(segment:, state: Sequel.blob(state)) if state
            end
          end
        end
      end
    end
  end
end
