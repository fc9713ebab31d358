# frozen_string_literal: true

require_relative "position"
require_relative "position_codec"

module Holdup
  class Collector
    # The positions of all segments of this host and folder, as the store has them. After a commit that failed nobody
    # knows whether it happened, so then the ledger is thrown away and read again.
    class Ledger
      UNITS = "#units"

      # @param store [#progress]
      # @param scope [String] what tells this host's folder from those of others in a shared store
      # @raise [StoreError, DamagedData]
      def initialize(store, scope)
        @scope = scope
        stored = store.progress.select { |key, _| key.start_with?(scope) }
        heads = stored.reject { |key, _| key.end_with?(UNITS) }
        @positions = heads.to_h { |key, head| [key.delete_prefix(scope), PositionCodec.load(head, stored[key + UNITS])] }
      end

      # @param name [String] file name
      # @return [Position, nil]
      def [](name) = @positions[name]

      # What the store's progress has to become.
      # @param readings [Hash{String => Position}] by file name
      # @param present [Array<String>] all file names that are there, readable or not
      # @return [Hash{String => String, nil}]
      def changes(readings, present)
        gone = (@positions.keys - present).flat_map { |name| [key(name), key(name) + UNITS] }
        readings.each_with_object(gone.to_h { |key| [key, nil] }) { |(name, position), all| change(all, name, position) }
      end

      # The store has them now.
      # @return [void]
      def committed(readings, present)
        @positions = @positions.slice(*present).merge(readings)
      end

      private

      def key(name) = @scope + name

      def change(all, name, position)
        return if position.equal?(self[name])
        all[key(name)] = PositionCodec.dump_head(position)
        all[key(name) + UNITS] = position.finished ? nil : PositionCodec.dump_units(position) if position.units_moved?(self[name])
      end
    end
  end
end
