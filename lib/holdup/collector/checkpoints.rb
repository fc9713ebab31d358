# frozen_string_literal: true

module Holdup
  class Collector
    # The checkpoints of all segments of this host and folder, as the store has them. After a commit that
    # failed it is unknown whether it happened, so then they are dropped and read again.
    class Checkpoints
      UNITS = "#units"

      # @param host [String] with the folder it separates these segments from others in a shared store
      # @raise [StoreError]
      def initialize(store, host, folder)
        @folder = text(folder)
        @scope = "#{host} #{@folder}/"
        @damaged = {}
        stored = store.progress.select { |key, _| key.start_with?(@scope) }
        heads = stored.reject { |key, _| key.end_with?(UNITS) }
        @positions = heads.each_with_object({}) do |(key, head), positions|
          name = key.delete_prefix(@scope)
          position = load(name, head, stored[key + UNITS])
          positions[name] = position if position
        end
      end

      # @return [String] as the store has its name
      attr_reader :folder

      # @param name [String] file name
      # @return [DamagedData, nil] why it is unknown how far that file was carried
      def damage(name) = @damaged[name]

      # @param name [String] file name
      def [](name) = @positions[name]

      # What the store's progress has to become.
      # @param readings [Hash{String => SegmentCheckpoint}] by file name
      # @param present [Array<String>] all file names that are there, readable or not
      # @return [Hash{String => String, nil}]
      def changes(readings, present)
        gone = (@positions.keys + @damaged.keys - present).flat_map { |name| [key(name), key(name) + UNITS] }
        readings.each_with_object(gone.to_h { |key| [key, nil] }) do |(name, position), changes|
          add_change(changes, name, position)
        end
      end

      # @return [Hash{String => Integer}] by file name, how many units will have been carried
      def units(readings, present)
        @positions.slice(*present).merge(readings).transform_values(&:ring_head)
      end

      # The store has them now.
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
