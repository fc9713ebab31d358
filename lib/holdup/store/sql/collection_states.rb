# frozen_string_literal: true

require "json"

module Holdup
  module Store
    class Sql
      # How far collectors have come, a row for each host and folder.
      class CollectionStates
        NS = 1_000_000_000

        # @param connection [Connection]
        def initialize(connection)
          @connection = connection
        end

        # @param state [CollectionState] it takes the place of the one before
        # @return [void]
        def save(state)
          @connection.write do |db|
            rows = db[:collection_states]
            known = rows.where(host: state.host, folder: state.folder)
            facts = {at_ns: state.at_ns, units: JSON.generate(state.units)}
            rows.insert(host: state.host, folder: state.folder, **facts) if known.update(facts).zero?
          end
        end

        # @return [Array<CollectionState>] the latest first
        def to_a
          @connection.read { |db| db[:collection_states].reverse(:at_ns).all.filter_map { |row| state(row) } }
        end

        # @param now_s [Integer]
        # @return [void]
        def prune(now_s)
          @connection.write { |db| db[:collection_states].where { at_ns < (now_s - CollectionState::KEEP_S) * NS }.delete }
        end

        private

        def state(row)
          CollectionState.new(host: row[:host], folder: row[:folder], at_ns: row[:at_ns],
            units: JSON.parse(row[:units]))
        rescue JSON::ParserError # damaged: the next round writes another
          nil
        end
      end
    end
  end
end
