# frozen_string_literal: true

require "fileutils"
require "json"
require "tmpdir"
require "zlib"

module Holdup
  class Collector
    # Copies of segments on a disk. A collector that has to end while its store is down makes one, because the
    # segments may be in memory that goes with its pod. Any later collector with the same folder delivers it.
    #
    # Everything counts once, by the folder's checkpoints and token in the store (see Checkpoints):
    #
    # - a commit whose answer was lost has moved the checkpoints: only what came later is delivered
    # - where the segments have survived and a later collector has carried them, the token has its generation:
    #   the copy is not needed
    # - after a kill between commit and removal, the copy is delivered again and adds nothing
    class Spool
      # A copy of all segments of a folder. `at_ns`: when it was made; `id`, `generation`: identity of the
      # folder; `segments`: Array of names and sizes, also of the audit log's files
      SpooledCopy = Data.define(:at_ns, :host, :folder, :id, :generation, :segments) do
        # @raise [JSON::ParserError, KeyError, TypeError, DamagedData]
        def self.parse(line)
          facts = JSON.parse(line)
          copy = new(**members.to_h { |name| [name, facts.fetch(name.name)] })
          raise DamagedData, "its first line is of another kind" unless copy.valid?
          copy
        end

        def valid?
          [at_ns, generation].all?(Integer) && [host, folder].all?(String) && id.to_s.match?(/\A\h{16}\z/)
        end

        def identity = Segment::Directory::FolderIdentity.new(id:, generation:)
      end

      # What a round reads instead of a Segment::Directory.
      SpooledFolder = Data.define(:path, :entries, :audit_files, :identity) do
        def take_over = identity
      end

      # A round has this instead of a ProcessSampler, because the processes are gone.
      NO_SAMPLES = Object.new.tap do |sampler|
        def sampler.samples(*) = []

        def sampler.committed(_samples) = nil
      end

      # What was kept. `bytes`: on the disk
      KeptCopy = Data.define(:path, :segments, :bytes)

      NAME = /\A(\d{20})-\h{16}-\d+\.spool\z/
      SUFFIX = ".spool"
      MAGIC = "HOLDUP SPOOL 1\n"
      # Endings of a copy that is being written, and of a file that can't be delivered.
      NEW = ".new"
      DAMAGED = ".damaged"
      LOCK = "deliver.lock"
      WORK = ".delivering"
      TRIES = 20
      LONGEST_LINE = 1 << 20
      # No collector writes for so long.
      LEFT_S = 3600
      private_constant :SpooledFolder, :NO_SAMPLES, :TRIES, :LONGEST_LINE, :LEFT_S

      # @param path [String] folder; created when something is kept
      # @param max_bytes [Integer] of all copies; the oldest ones are dropped first
      def initialize(path, max_bytes:, log:, clock: Clock.new)
        @path = path
        @max_bytes = max_bytes
        @log = log
        @warnings = RateLimitedLog.new(log:, clock:)
        @failed = []
      end

      # A reader sees the whole copy or none, also after a power failure.
      # @param directory [Segment::Directory]
      # @param identity [Segment::Directory::FolderIdentity]
      # @return [KeptCopy, nil] nil when there is nothing to keep
      # @raise [SystemCallError] when it can't be written
      def keep(directory, identity:, host:, now_ns:)
        images = directory.entries.filter_map { |entry| image(entry) }
        return if images.empty?
        FileUtils.mkdir_p(@path, mode: 0o700)
        kept = images.size
        images += directory.audit_files.map { |path| [File.basename(path), File.binread(path)] }
        segments = images.map { |name, bytes| [name, bytes.bytesize] }
        folder = Utf8.valid(directory.path)
        copy = SpooledCopy.new(at_ns: now_ns, host:, folder:, id: identity.id,
          generation: identity.generation, segments:)
        path = File.join(@path, format("%020d-%s-%d%s", now_ns, copy.id, copy.generation, SUFFIX))
        write(path, copy, images.map(&:last))
        bytes = File.size(path)
        refuse(path) if bytes > @max_bytes
        remove_contained(path, copy)
        make_room
        KeptCopy.new(path:, segments: kept, bytes:)
      end

      # @return [String, nil] why the last delivery did not work
      attr_reader :problem

      # Delivers one copy, the oldest; for a call after each round, so that live measurements go first and a
      # long queue of copies delays none of them. In what order they arrive makes no difference: each folder
      # has checkpoints of its own.
      # @return [Boolean] whether there may be more
      def deliver(store)
        unless waiting?
          @problem = nil
          return false
        end
        locked { deliver_next(store) } || false
      rescue SystemCallError => error
        warn_of(@path, error.message)
        false
      end

      private

      def waiting? = File.directory?(@path) && files.any?

      # Oldest first.
      def files
        Dir.children(@path).select { |name| name.end_with?(SUFFIX) }.sort
      rescue SystemCallError
        []
      end

      # @return [Array(String, String), nil] name and content
      def image(entry)
        bytes = nil
        TRIES.times { break if (bytes = entry.read(&:image)) }
        return [entry.name, bytes] if bytes
        @log.warn("#{entry.path} can't be copied, because its process writes all the time")
      rescue SegmentError, DamagedData, SystemCallError => error
        @log.warn("#{entry.path} can't be copied: #{error.message}")
        nil
      end

      def write(path, copy, images)
        flags = File::WRONLY | File::CREAT | File::TRUNC | File::NOFOLLOW
        File.open(path + NEW, flags, 0o600) do |file|
          file.binmode # an application may have set Encoding.default_internal
          file.write(MAGIC)
          zip = Zlib::GzipWriter.new(file, Zlib::BEST_SPEED)
          zip.write(JSON.generate(copy.to_h), "\n", *images)
          zip.finish
          file.fsync
        end
        File.rename(path + NEW, path)
        File.open(@path) { |folder| folder.fsync }
      rescue SystemCallError
        FileUtils.rm_f(path + NEW)
        raise
      end

      # A collector that is restarted again and again keeps one copy: each has all that those before it had.
      def remove_contained(newest, copy)
        same = files.grep(/\A\d+-#{copy.id}-/).map { |name| File.join(@path, name) } - [newest]
        same.each { |path| FileUtils.rm_f(path) if (names(path) - copy.segments.map(&:first)).empty? }
      end

      # @return [Array<String>] of its segments; one that no copy has when it can't be read
      def names(path)
        File.open(path, "rb") do |file|
          file.read(MAGIC.bytesize)
          SpooledCopy.parse(Zlib::GzipReader.new(file).gets("\n", LONGEST_LINE).to_s).segments.map(&:first)
        end
      rescue => error
        [error.message]
      end

      # Pushes out no other for it.
      def refuse(path)
        File.unlink(path)
        raise Errno::ENOSPC, "a copy is larger than config.spool_mib allows"
      end

      def make_room
        sizes = files.to_h { |name| [File.join(@path, name), File.size?(File.join(@path, name)).to_i] }
        excess = sizes.values.sum - @max_bytes
        sizes.each do |path, bytes|
          break unless excess.positive?
          drop(path, bytes)
          excess -= bytes
        end
      end

      def drop(path, bytes)
        File.unlink(path)
        @log.warn("the spool #{@path} may hold #{@max_bytes >> 20} MiB (config.spool_mib): dropped " \
          "#{File.basename(path)} (#{bytes / 1000} kB), so what it measured is lost")
      rescue Errno::ENOENT
        nil # delivered meanwhile
      end

      # One collector delivers at a time.
      # @return [Object, nil] nil when another one does
      def locked
        flags = File::RDWR | File::CREAT | File::NOFOLLOW
        File.open(File.join(@path, LOCK), flags, 0o600) do |lock|
          yield if lock.flock(File::LOCK_EX | File::LOCK_NB)
        end
      end

      def deliver_next(store)
        names = files
        @failed &= names
        name = (names - @failed).first
        return @failed.clear && false unless name
        path = File.join(@path, name)
        done = deliver_file(path, store)
        @failed << name unless done
        names.size > 1 || !done
      end

      # @return [Boolean] whether it is out of the way
      def deliver_file(path, store)
        opened(path) do |copy, entries, audit_files|
          folder = SpooledFolder.new(path: copy.folder, entries:, audit_files:, identity: copy.identity)
          round = Round.new(store:, directory: folder, host: copy.host, warnings: @warnings,
            sampler: NO_SAMPLES)
          units = round.run(copy.at_ns, steady: false, last: true).units unless later?(round, copy)
          FileUtils.rm_f(path)
          tell(copy, units) if units&.positive?
        end
        @problem = nil
        true
      rescue StoreError, SystemCallError => error
        warn_of(path, error.message, same: [path, *(error.kind if error.is_a?(StoreError))])
        false
      rescue => error # whatever is in the file
        set_aside(path, error)
      end

      # Whether a later collector of the folder has stored what the segments had.
      def later?(round, copy) = round.checkpoints.generation > copy.generation

      # @yieldparam copy [SpooledCopy]
      # @yieldparam entries [Array<Segment::Directory::DirectoryEntry>] of the unpacked segments
      # @yieldparam audit_files [Array<String>] paths of the unpacked audit log
      def opened(path)
        clean
        raise DamagedData, "its name is another" unless NAME.match?(File.basename(path))
        flags = File::RDONLY | File::NOFOLLOW | File::NONBLOCK
        File.open(path, flags) do |file|
          file.binmode
          raise DamagedData, "it does not begin as one" unless file.read(MAGIC.bytesize) == MAGIC
          Dir.mktmpdir(WORK, @path) { |folder| yield(*unpack(Zlib::GzipReader.new(file), folder)) }
        end
      end

      # What killed collectors have left.
      def clean
        left = Dir.glob("*#{SUFFIX}#{NEW}", base: @path).map { |name| File.join(@path, name) }
        left.select! { |path| File.mtime(path) < Time.now - LEFT_S }
        FileUtils.rm_rf([*left, *Dir.glob("#{WORK}*", base: @path).map { |name| File.join(@path, name) }])
      end

      def unpack(zip, folder)
        copy = SpooledCopy.parse(zip.gets("\n", LONGEST_LINE).to_s)
        entries = copy.segments.filter_map { |name, size| unpack_file(zip, folder, name, size) }
        zip.read # to its end, where the checksum is
        [copy, entries, AuditEntry::AuditFiles.new(folder).paths]
      end

      # @return [Segment::Directory::DirectoryEntry, nil] nil for a file of the audit log
      def unpack_file(zip, folder, name, size)
        pid, start = Segment::Directory::NAME.match(name)&.captures&.first(2)&.map(&:to_i)
        known = pid || AuditEntry::AuditFiles::NAME.match?(name)
        raise DamagedData, "it names a segment #{name.inspect}" unless known
        bytes = zip.read(size).to_s
        raise DamagedData, "it is cut short" unless bytes.bytesize == size
        path = File.join(folder, name)
        File.binwrite(path, bytes)
        Segment::Directory::DirectoryEntry.new(path:, pid:, start:, alive: false, copy: true) if pid
      end

      def set_aside(path, error)
        File.rename(path, path + DAMAGED)
        @log.warn("#{path} is not what Holdup has spooled (#{error.message}): it is renamed to " \
          "#{File.basename(path)}#{DAMAGED} and not delivered")
        true
      end

      def tell(copy, units)
        at = Time.at(copy.at_ns / 1_000_000_000).utc.strftime("%F %T UTC")
        @log.warn("requests and jobs delivered from the spool: #{units}, which a collector of #{copy.host} " \
          "kept at #{at}")
      end

      def warn_of(path, reason, same: reason)
        @problem = "#{path}: #{reason}"
        @warnings.again(:spool, "what #{path} has can't be delivered now: #{reason}; it is kept", same:)
      end
    end
  end
end
