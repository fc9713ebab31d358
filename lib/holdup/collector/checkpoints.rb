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

      # How long the checkpoint of a segment stays whose file others have removed: its process makes the file
      # again when it notices, which takes a process that stands still as long as it does.
      KEEP_NS = 86_400 * 1_000_000_000

      # @param identity [Segment::Directory::FolderIdentity]
      # @raise [StoreError]
      def initialize(store, identity)
        @store = store
        @identity = identity
        @own = FolderCheckpoints.read(store, identity.id)
        @segments = @own.segments
        @damaged = @own.damaged
        @pruned = @own.pruned
        @others = {}
        # Names of segments that come from other folders, with the folder whose checkpoint they go on from,
        # and with all folders that may have one.
        @adopted = {}
        @left = {}
      end

      # @return [Integer] generation of the collector that committed last; 0 before the first commit
      def generation = @own.generation

      # @return [DamagedData, nil] why it is unknown how far the file of that name was carried
      def damage(name)
        return @adopted[name].damage(name) if @adopted.key?(name)
        @damaged[name] || (@pruned unless @segments.key?(name))
      end

      def [](name) = @adopted.key?(name) ? @adopted[name].segments[name] : @segments[name]

      # A segment that comes from another folder, which was removed: it goes on from its checkpoint there. The
      # next commit also finishes it there and replaces that folder's token, so that a collector that still
      # carries it there can't commit any more.
      # @param folders [Array<String>] ids of the folders in which it may have been carried, the latest first
      # @return [String, nil] id of the folder to look at if this one is removed before its next commit
      # @raise [StoreError]
      def adopt(name, folders)
        others = folders - [@identity.id]
        return others.first if others.empty? || known_here?(name, folders)
        @left[name] = others.map { |id| @others[id] ||= FolderCheckpoints.read(@store, id) }
        @adopted[name] = @left[name].find { |other| other.knows?(name) } || @left[name].last
        @adopted[name].id
      end

      # @param present [Array<String>] all file names
      # @return [Array<String>] names of segments that are not finished and have no file, until KEEP_NS later
      def left_behind(present, now_ns)
        missing = @segments.except(*present).reject { |_, checkpoint| checkpoint.finished }
        missing.select { |_, checkpoint| (now_ns - checkpoint.read_ns).abs < KEEP_NS }.keys
      end

      # @param latest [Hash{String => SegmentCheckpoint}] by file name
      # @param present [Array<String>] all file names, readable or not, and those that are left behind
      # @return [Hash{String => String, nil}] changes of the store's checkpoints; nil deletes
      def changes(latest, present)
        gone = (@segments.keys + @damaged.keys - present).flat_map { |name| @own.keys(name) }
        latest.each_with_object(gone.to_h { |key| [key, nil] }) do |(name, checkpoint), changes|
          add_change(changes, name, checkpoint)
          @left[name]&.each { |other| changes.merge!(other.finished(name, checkpoint)) }
        end
      end

      # @return [Hash{String => Integer}] by file name, how many units are carried after this commit
      def units(latest, present)
        @segments.slice(*present).merge(latest).transform_values(&:ring_head)
      end

      # @yieldparam checkpoints [Hash{String => String}] tokens to write with each commit, besides the changes
      # @yieldparam expected [Hash{String => String, nil}] what must be stored so before
      # @return [Object] the block's value, after the commit
      def committing
        folders = [@own, *@left.values.flatten.reject(&:pruned)].uniq
        tokens = folders.to_h do |folder|
          generation = folder.equal?(@own) ? @identity.generation : folder.generation
          [folder, CommitToken.next(generation)]
        end
        value = yield(tokens.to_h { |folder, token| [folder.token_name, token.text] },
          folders.to_h { |folder| [folder.token_name, folder.token&.text] })
        tokens.each { |folder, token| folder.token = token }
        value
      end

      # The caller does this after the commit.
      def committed(latest, present)
        unknown = present.to_h { |name| [name, damage(name)] }.compact
        @segments = @segments.slice(*present).merge(latest)
        @damaged = unknown.except(*latest.keys)
        @pruned = nil
        @adopted = @adopted.except(*latest.keys)
        @left = @left.except(*latest.keys)
      end

      private

      # One that is finished here and comes from another folder went on there.
      def known_here?(name, folders)
        here = folders.first == @identity.id
        checkpoint = @segments[name]
        return here || !checkpoint.finished if checkpoint
        @damaged.key?(name) || (here && !@pruned.nil?)
      end

      def add_change(changes, name, checkpoint)
        return if checkpoint.equal?(@segments[name])
        head, units = @own.keys(name)
        changes[head] = SegmentCheckpoint::Codec.dump_head(checkpoint)
        return unless checkpoint.units_moved?(@segments[name])
        changes[units] = checkpoint.finished ? nil : SegmentCheckpoint::Codec.dump_units(checkpoint)
      end
    end

    # What a store has of one folder's segments.
    class Checkpoints::FolderCheckpoints
      # @raise [StoreError]
      def self.read(store, id)
        scope = CheckpointNames.scope(id)
        stored = store.checkpoints(host: id).select { |key, _| key.start_with?(scope) }
        new(id, stored)
      end

      attr_reader :id

      # @return [Hash{String => SegmentCheckpoint}] by file name
      attr_reader :segments

      # @return [Hash{String => DamagedData}] by file name, of those that can't be read
      attr_reader :damaged

      # @return [CommitToken, nil] of the last commit; nil before the first
      attr_accessor :token

      def initialize(id, stored)
        @id = id
        @damaged = {}
        text = stored[token_name]
        @token = text && Checkpoints::CommitToken.new(text: text.b)
        heads = stored.reject { |key, _| key == token_name || key.end_with?(Checkpoints::UNITS) }
        @segments = heads.each_with_object({}) do |(key, head), segments|
          name = key.delete_prefix(CheckpointNames.scope(id))
          checkpoint = load(name, head, stored[key + Checkpoints::UNITS])
          segments[name] = checkpoint if checkpoint
        end
      end

      def token_name = CheckpointNames.token(@id)

      def generation = @token&.generation.to_i

      # @return [DamagedData, nil] why nothing is known of a file without a checkpoint
      def pruned
        @pruned ||= DamagedData.new("the store has deleted how far it was carried") if @token&.pruned?
      end

      # @return [DamagedData, nil]
      def damage(name) = @damaged[name] || (pruned unless @segments.key?(name))

      def knows?(name) = @segments.key?(name) || @damaged.key?(name)

      # @return [Array<String>] names of the checkpoint's two parts in the store
      def keys(name)
        key = CheckpointNames.scope(@id) + name
        [key, key + Checkpoints::UNITS]
      end

      # A segment that goes on in another folder is finished in this one: a copy of it in a spool, or in the
      # folder, may come later.
      # @return [Hash{String => String, nil}] changes of the store's checkpoints
      def finished(name, checkpoint)
        head, units = keys(name)
        {head => SegmentCheckpoint::Codec.dump_head(checkpoint.done), units => nil}
      end

      private

      def load(name, head, units)
        SegmentCheckpoint::Codec.load(head, units)
      rescue DamagedData => error
        @damaged[name] = error
        nil
      end
    end
  end
end
