# frozen_string_literal: true

module Holdup
  class Collector
    # The positions of all segments of this host and folder, as the store has them. After a commit that failed
    # nobody knows whether it happened, so then the ledger is thrown away and read again.
    class Checkpoints
      UNITS = "#units"

      # @param store [#progress]
      # @param host [String] tells with the folder this one's segments from those of others in a shared store
      # @param folder [String]
      # @raise [StoreError]
      def initialize(store, host, folder)
        @folder = text(folder)
        @scope = "#{host} #{@folder}/"
        @damaged = {}
        stored = store.progress.select { |key, _| key.start_with?(@scope) }
        names = stored.keys.reject { |key| key.end_with?(UNITS) }.map { |key| key.delete_prefix(@scope) }
        @positions = names.to_h { |name|
          [name,
            load(name, stored[key(name)], stored[key(name) + UNITS])]
        }.compact
      end

      # @return [String] as the store has its name
      attr_reader :folder

      # @param name [String] file name
      # @return [DamagedData, nil] why nobody knows how far that file was carried
      def damage(name) = @damaged[name]

      # @param name [String] file name
      # @return [SegmentCheckpoint, nil]
      def [](name) = @positions[name]

      # What the store's progress has to become.
      # @param readings [Hash{String => SegmentCheckpoint}] by file name
      # @param present [Array<String>] all file names that are there, readable or not
      # @return [Hash{String => String, nil}]
      def changes(readings, present)
        gone = (@positions.keys + @damaged.keys - present).flat_map { |name| [key(name), key(name) + UNITS] }
        readings.each_with_object(gone.to_h { |key| [key, nil] }) { |(name, position), all|
          change(all, name, position)
        }
      end

      # @param readings [Hash{String => SegmentCheckpoint}]
      # @param present [Array<String>]
      # @return [Hash{String => Integer}] by file name, how many units will have been carried
      def units(readings, present)
        @positions.slice(*present).merge(readings).transform_values(&:ring_head)
      end

      # The store has them now.
      # @return [void]
      def committed(readings, present)
        @positions = @positions.slice(*present).merge(readings)
        @damaged = @damaged.slice(*present).except(*readings.keys)
      end

      private

      # The name of a folder may be any bytes, a key of a store is text.
      def text(folder)
        text = Utf8.of(folder)
        text.valid_encoding? ? text : folder.b.dump
      end

      def load(name, head, units)
        CheckpointCodec.load(head, units)
      rescue DamagedData => error
        @damaged[name] = error
        nil
      end

      def key(name) = @scope + name

      def change(all, name, position)
        return if position.equal?(self[name])
        all[key(name)] = CheckpointCodec.dump_head(position)
        if position.units_moved?(self[name])
          all[key(name) + UNITS] = position.finished ? nil : CheckpointCodec.dump_units(position)
        end
      end
    end
  end
end
