# frozen_string_literal: true

module Holdup
  class Collector
    # The checkpoints of all segments of this host and folder, as stored. After a failed commit it is unknown
    # whether the store has them, so they are dropped and read again.
    class Checkpoints
      UNITS = "#units"

      # @param host [String] separates, with the folder, these segments from others in a shared store
      # @raise [StoreError]
      def initialize(store, host, folder)
        @folder = text(folder)
        @scope = "#{host} #{@folder}/"
        @damaged = {}
        stored = store.progress(host:).select { |key, _| own?(key) }
        heads = stored.reject { |key, _| key.end_with?(UNITS) }
        @positions = heads.each_with_object({}) do |(key, head), positions|
          name = key.delete_prefix(@scope)
          position = load(name, head, stored[key + UNITS])
          positions[name] = position if position
        end
      end

      attr_reader :folder

      # @return [DamagedData, nil] why it is unknown how far the file of that name was carried
      def damage(name) = @damaged[name]

      def [](name) = @positions[name]

      # @param readings [Hash{String => SegmentCheckpoint}] by file name
      # @param present [Array<String>] all file names, readable or not
      # @return [Hash{String => String, nil}] changes of the store's progress; nil deletes
      def changes(readings, present)
        gone = (@positions.keys + @damaged.keys - present).flat_map { |name| [key(name), key(name) + UNITS] }
        readings.each_with_object(gone.to_h { |key| [key, nil] }) do |(name, position), changes|
          add_change(changes, name, position)
        end
      end

      # @return [Hash{String => Integer}] by file name, how many units are carried after this commit
      def units(readings, present)
        @positions.slice(*present).merge(readings).transform_values(&:ring_head)
      end

      # To call after the commit.
      def committed(readings, present)
        @positions = @positions.slice(*present).merge(readings)
        @damaged = @damaged.slice(*present).except(*readings.keys)
      end

      private

      # A folder inside this one belongs to another collector.
      def own?(key)
        key.start_with?(@scope) && !key.delete_prefix(@scope).include?("/")
      end

      # The name of a folder may be any bytes, but a key of a store is text.
      def text(folder)
        text = Utf8.of(folder)
        text.valid_encoding? ? text : folder.b.dump
      end

      def load(name, head, units)
        SegmentCheckpoint::Codec.load(head, units)
      rescue DamagedData => error
        @damaged[name] = error
        nil
      end

      def key(name) = @scope + name

      def add_change(changes, name, position)
        return if position.equal?(self[name])
        changes[key(name)] = SegmentCheckpoint::Codec.dump_head(position)
        return unless position.units_moved?(self[name])
        units = position.finished ? nil : SegmentCheckpoint::Codec.dump_units(position)
        changes[key(name) + UNITS] = units
      end
    end
  end
end
