# frozen_string_literal: true

module Holdup
  class Collector
    # The checkpoints of all segments of a folder, as stored. After a failed commit it is unknown whether the
    # store has them, so they are dropped and read again.
    #
    # A folder has a random id, so hosts and containers may share a name, a volume may move to another host,
    # and the collector may see it by another path. Each commit also replaces the folder's token, provided
    # that it is still the one that was read. So of two collectors that go on from the same state (a server
    # that was restored, a spool that is delivered while the folder lives on) only one can commit.
    class Checkpoints
      UNITS = "#units"

      # A commit of the folder. `text`: unique; `generation`: which collector of the folder made it
      CommitToken = Data.define(:text) do
        def self.next(generation) = new(text: "#{generation} #{Random.urandom(8).unpack1("H*")}")

        def generation = text.to_i

        # Whether the store has deleted the checkpoints.
        def pruned? = CheckpointNames::PRUNED.match?(text)
      end

      # @param identity [Segment::Directory::FolderIdentity]
      # @raise [StoreError]
      def initialize(store, identity)
        @identity = identity
        @scope = CheckpointNames.scope(identity.id)
        @damaged = {}
        stored = store.progress(host: identity.id).select { |key, _| key.start_with?(@scope) }
        token = stored.delete(token_name)
        @token = token && CommitToken.new(text: token.b)
        @pruned = DamagedData.new("the store has deleted how far it was carried") if @token&.pruned?
        heads = stored.reject { |key, _| key.end_with?(UNITS) }
        @positions = heads.each_with_object({}) do |(key, head), positions|
          name = key.delete_prefix(@scope)
          position = load(name, head, stored[key + UNITS])
          positions[name] = position if position
        end
      end

      # @return [Integer] generation of the collector that committed last; 0 before the first commit
      def generation = @token&.generation.to_i

      # @return [DamagedData, nil] why it is unknown how far the file of that name was carried
      def damage(name) = @damaged[name] || (@pruned unless @positions.key?(name))

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

      # @yieldparam progress [Hash{String => String}] to write with each commit, besides the changes
      # @yieldparam expected [Hash{String => String, nil}] what must be stored so before
      # @return [Object] the block's value, after the commit
      def committing
        token = CommitToken.next(@identity.generation)
        value = yield({token_name => token.text}, {token_name => @token&.text})
        @token = token
        value
      end

      # To call after the commit.
      def committed(readings, present)
        unknown = present.to_h { |name| [name, damage(name)] }.compact
        @positions = @positions.slice(*present).merge(readings)
        @damaged = unknown.except(*readings.keys)
        @pruned = nil
      end

      private

      def load(name, head, units)
        SegmentCheckpoint::Codec.load(head, units)
      rescue DamagedData => error
        @damaged[name] = error
        nil
      end

      def token_name = CheckpointNames.token(@identity.id)

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
