# frozen_string_literal: true

require_relative "../model/errors"
require_relative "../model/audit_entry"
require_relative "../model/utf8"
require_relative "layout"
require_relative "reader"

module Holdup
  module Segment
    # Anonymous segments: a link in the folder names the descriptor and its process. The memory is gone with
    # its process unless another process has it open, so each stays open from the first sight until its link
    # is removed.
    class AnonymousFile
      LINK = %r{\A/proc/(\d+)/fd/\d+\z}

      def initialize
        @files = {}
      end

      def file(path, pid)
        @files[path] ||= open_link(path, pid)
      end

      # Closes files whose links are gone.
      # @param paths [Array<String>] existing links
      def close_except(paths)
        gone = @files.keys - paths
        gone.each { |path| @files.delete(path)&.close }
      end

      private

      # Follows only a link to that process's own memory.
      def open_link(path, pid)
        target = File.readlink(path)
        return unless LINK.match(target)&.captures == [pid.to_s]
        File.open(target, File::RDONLY | File::NONBLOCK | File::BINARY)
      rescue SystemCallError
        nil
      end
    end

    # The folder with the segments of one user on one host. Files are named "<pid>-<start>.segment", with
    # "-<n>" before the dot for a process that stopped and started measuring again.
    class Directory
      NAME = /\A(\d{1,10})-(\d{1,20})(?:-(\d{1,6}))?\.segment\z/
      LEFT_FILE = /\A\d{1,10}-\d{1,20}(?:-\d{1,6})?(\.[a-z]+)\z/
      LOCK = "collector.lock"
      HURRY = "collector.hurry"
      IDENTITY = "collector.id"

      # Names the folder in a store, whatever the host and the path are called, and counts its collectors.
      #
      # - `id`: 16 random hexadecimal digits; `generation`: which collector of the folder leads, from 1 on
      FolderIdentity = Data.define(:id, :generation) do
        # @return [FolderIdentity, nil] nil for anything else
        def self.parse(text)
          id, generation = self::TEXT.match(text)&.captures
          id && new(id: id.encode(Encoding::UTF_8), generation: generation.to_i)
        end

        # Always of the same length, so that writing it again needs no further space.
        def to_s = format("%s %010d\n", id, generation)
      end

      FolderIdentity::TEXT = /\A(\h{16}) (\d{10})\n\z/

      # One segment.
      #
      # - `path`: absolute; `pid`, `start`: of its process, as the name has them
      # - `alive`: whether our process table, `namespace`, has that process; it says nothing of another one's
      # - `link`: whether only a link exists, and `file`: its target, opened
      # - `copy`: whether it is a copy, from which nothing follows for the process
      DirectoryEntry = Data.define(:path, :pid, :start, :alive, :namespace, :link, :file, :copy) do
        def initialize(path:, pid:, start:, alive:, namespace: 0, link: false, file: nil, copy: false)
          super
        end

        def name = File.basename(path)

        # Whether our process table has its process, so that the system can be asked about that pid.
        def here?(header)
          alive && (header.namespace.zero? || header.namespace == namespace)
        end

        # Whether its process runs, as far as that can be known.
        # @raise [SystemCallError] the file is gone
        def running?(header, now_ns)
          return true if seen?(header)
          lock = opened { |io| FileLock.state(io) }
          return true if lock == :held
          return false if absent?(header) || (header.locked? && lock == :free)
          recent?(header, now_ns)
        end

        def lost?
          link && file.nil?
        end

        # @param steady [Boolean] whether the age of a heartbeat says anything: not while the clock is set
        # @yieldparam reader [Reader] `ended` says whether its process can write no more
        # @raise [SegmentError, SystemCallError]
        def read(now_ns: Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond), steady: true)
          raise SegmentError::Lost.new(path:) if lost?
          opened do |io|
            reader = Reader.over(io, path:)
            ended = copy ? :copy : ended(reader.header, io, now_ns, steady)
            reader.ends(ended) if ended
            yield reader
          end
        end

        # @return [Array<String>] ids of the folders whose collectors have noted that they carry it, the
        #   latest first
        # @raise [SystemCallError, EOFError]
        def folders
          numbers = opened { |io| io.pread(16, Layout::FOLDER) }.unpack("Q<2")
          (numbers - [0]).map { |number| Directory.id(number) }
        end

        # Notes in the segment that the collector of a folder carries it from now on. Where that folder is
        # removed, its process makes the segment again in another one, and the collector there knows where to
        # look for how far it was carried.
        # @param before [String, nil] id of the folder where it was carried until now
        # @return [Boolean] false when it has lost its name meanwhile: its process may have made another file
        #   of it already
        # @raise [SystemCallError]
        def claim(id, before: nil)
          note = [id, before].map { |folder| folder ? Directory.number(folder) : 0 }.pack("Q<2")
          File.open(*writable) { |io| io.pwrite(note, Layout::FOLDER) && named?(io) }
        end

        private

        # Whether our process table has it. Without start times a pid may be another process's by now.
        def seen?(header)
          here?(header) && (start.positive? || !header.locked?)
        end

        # Whether our process table would have it.
        def absent?(header)
          !alive && namespace.positive? && header.namespace == namespace
        end

        def writable
          flags = File::RDWR | File::NONBLOCK | File::BINARY
          file ? ["/proc/self/fd/#{file.fileno}", flags] : [path, flags | File::NOFOLLOW]
        end

        def named?(io)
          return File.symlink?(path) if file
          own = io.stat
          found = File.lstat(path)
          [own.dev, own.ino] == [found.dev, found.ino]
        rescue Errno::ENOENT
          false
        end

        def opened
          return yield(file) if file
          flags = File::RDONLY | File::NOFOLLOW | File::NONBLOCK | File::BINARY
          File.open(path, flags) { |io| yield io }
        end

        # A heartbeat alone never proves that a process is dead: it may stand still for minutes, by a signal,
        # in a frozen container or in C code that keeps the GVL. A lock that is free does, and the process
        # table does where it is the process's own. Without either, a long silence has to do.
        # @return [Symbol, nil] see Reader#ended
        def ended(header, io, now_ns, steady)
          return if seen?(header)
          lock = FileLock.state(io)
          return if lock == :held
          return :dead if absent?(header)
          return (:dead unless recent?(header, now_ns)) if header.locked? && lock == :free
          return :silent if steady && silence_ns(header, now_ns) > Directory::SILENT_NS
          :missing if header.namespace.zero?
        end

        def recent?(header, now_ns)
          !header.closed? && silence_ns(header, now_ns) < Directory::TICKING_NS
        end

        def silence_ns(header, now_ns) = (now_ns - header.heartbeat_ns).abs
      end

      # The heartbeat of a running process is at most so old. One whose descriptors the application has closed
      # takes its lock again with its next tick.
      TICKING_NS = 5_000_000_000
      # A process without a lock whose process table is another one counts as ended after so long without a
      # tick: three times the longest `tick_seconds`.
      SILENT_NS = 15_000_000_000

      # Whether a process has locked a file. Shared locks of several readers don't disturb each other.
      module FileLock
        # @return [Symbol, nil] :held, :free, nil where the file system has no locks
        def self.state(io)
          return :held unless io.flock(File::LOCK_SH | File::LOCK_NB)
          io.flock(File::LOCK_UN)
          :free
        rescue SystemCallError
          nil
        end
      end

      # @return [Integer] as a segment's header has the id of a folder
      def self.number(id) = id.to_i(16)

      # @return [String] id of a folder
      def self.id(number) = format("%016x", number)

      # @return [String] absolute
      attr_reader :path

      def initialize(path, owner: OwnerProcess.new, anonymous: AnonymousFile.new)
        @path = Utf8.of(File.expand_path(path))
        @owner = owner
        @anonymous = anonymous
      end

      # @return [Array<DirectoryEntry>] sorted by name
      # @raise [SystemCallError] the folder can't be read
      def entries
        names = Dir.children(@path).select(&:ascii_only?).sort
        found = names.filter_map { |name| entry(name) }
        @anonymous.close_except(found.select(&:link).map(&:path))
        found
      end

      # Those whose processes run, also in other process tables. A segment that can't be read is left out.
      # @return [Array<DirectoryEntry>] sorted by name
      # @raise [SystemCallError] the folder can't be read
      def running(now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
        entries.select { |entry| runs?(entry, now_ns) }
      end

      # Those whose processes have not ended for certain.
      # @return [Array<DirectoryEntry>] sorted by name
      # @raise [SystemCallError] the folder can't be read
      def unended = entries.reject { |entry| ended?(entry) }

      def lock_path = File.join(@path, LOCK)

      def ever_collected? = File.exist?(lock_path)

      # Requests a round now; the collector looks for requests twice a second. Takes no space, of which there
      # may be none.
      # @raise [SystemCallError]
      def hurry
        File.open(hurry_path, File::WRONLY | File::CREAT | File::NOFOLLOW, 0o600).close
        File.utime(nil, nil, hurry_path)
      end

      # Time of the last request for a round.
      def hurried_at
        File.mtime(hurry_path)
      rescue SystemCallError
        nil
      end

      # Paths of other files that processes have left next to their segments, by name.
      def files_with_suffix(*suffixes)
        names = Dir.children(@path).select(&:ascii_only?).sort
        wanted = names.select { |name| suffixes.include?(name[LEFT_FILE, 1]) }
        wanted.map { |name| File.join(@path, name) }
      end

      # Paths of the files of the audit log, oldest first.
      def audit_files = AuditEntry::AuditFiles.new(@path).paths

      # @return [FolderIdentity, nil] nil before the first collector
      def identity
        FolderIdentity.parse(File.read(identity_path, 64))
      rescue SystemCallError
        nil
      end

      # The next generation, for a collector that begins to lead.
      # @return [FolderIdentity]
      # @raise [SystemCallError]
      def take_over
        flags = File::RDWR | File::CREAT | File::NOFOLLOW
        File.open(identity_path, flags, 0o600) do |file|
          known = FolderIdentity.parse(file.read(64).to_s)
          identity = known ? known.with(generation: known.generation + 1) : new_identity
          file.pwrite(identity.to_s, 0)
          file.truncate(identity.to_s.bytesize) unless known
          identity
        end
      end

      # Creates the folder, for this user only, and those above it that are missing.
      # @raise [Error] it is there, and another user's
      # @raise [SystemCallError]
      def create
        make(@path)
      rescue Errno::EEXIST
        check_owner
      end

      # Anyone can make a folder of this name in /dev/shm first. Its owner could plant figures in it, and
      # links to files that this user may write. Root may use the folder of an application.
      # @raise [Error] another user made it, or it is a link
      # @raise [SystemCallError] there is none
      def check_owner
        stat = File.lstat(@path)
        return if stat.directory? && (stat.owned? || Process.euid.zero?)
        raise Error.new("#{@path} is not a folder of this user",
          "run this as the application's user, or set HOLDUP_DIR to another folder")
      end

      # What the leading collector says does not work, see Collector::Election#note.
      # @return [Hash{Symbol => String}] a message for each subject
      def collector_troubles
        return {} unless collected?
        lines = File.read(lock_path, encoding: Encoding::UTF_8).scrub.lines.drop(1)
        lines.to_h do |line|
          subject, _, message = line.chomp.partition(" ")
          [subject.to_sym, message]
        end
      rescue SystemCallError
        {}
      end

      def collected?
        File.open(lock_path) { |file| !file.flock(File::LOCK_SH | File::LOCK_NB) }
      rescue SystemCallError
        false
      end

      private

      def runs?(entry, now_ns)
        entry.read { |reader| entry.running?(reader.header, now_ns) }
      rescue SegmentError, SystemCallError
        false
      end

      def ended?(entry)
        entry.read { |reader| !reader.ended.nil? }
      rescue SegmentError, SystemCallError
        false
      end

      def make(path)
        Dir.mkdir(path, 0o700)
      rescue Errno::ENOENT
        make_above(File.dirname(path))
        Dir.mkdir(path, 0o700)
      end

      def make_above(path)
        make(path)
      rescue Errno::EEXIST
        nil
      end

      def hurry_path = File.join(@path, HURRY)

      def identity_path = File.join(@path, IDENTITY)

      def new_identity = FolderIdentity.new(id: Random.urandom(8).unpack1("H*"), generation: 1)

      def entry(name)
        pid, start = NAME.match(name)&.captures&.first(2)&.map(&:to_i)
        return unless pid
        path = File.join(@path, name)
        link = File.symlink?(path)
        file = @anonymous.file(path, pid) if link
        alive = @owner.alive?(pid, start)
        DirectoryEntry.new(path:, pid:, start:, alive:, namespace: @owner.namespace, link:, file:)
      end
    end

    # Whether a process still lives. The system reuses pids, but a pid with its start time (field 22 of
    # /proc/<pid>/stat) identifies one process.
    class OwnerProcess
      def initialize(proc: "/proc")
        @proc = proc
        @listed = File.readable?(File.join(proc, "self", "stat"))
      end

      # Our process table; 0 when unknown.
      def namespace
        @namespace ||= File.stat(File.join(@proc, "self", "ns", "pid")).ino
      rescue SystemCallError
        0
      end

      # @param start [Integer] clock ticks after boot; 0 when unknown
      def alive?(pid, start)
        return running?(pid) unless @listed && start.positive?
        start_of(pid) == start
      end

      # @return [Integer, nil] clock ticks after boot; nil for a zombie or a missing process
      def start_of(pid)
        fields = File.binread(File.join(@proc, pid.to_s, "stat")).rpartition(")").last.split
        Integer(fields[19]) unless fields[0] == "Z"
      rescue SystemCallError
        nil
      end

      private

      def running?(pid)
        Process.kill(0, pid)
        true
      rescue Errno::EPERM
        true
      rescue Errno::ESRCH, RangeError
        false
      end
    end
  end
end
