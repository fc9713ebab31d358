# frozen_string_literal: true

require_relative "../model/errors"
require_relative "../model/audit_entry"
require_relative "../model/utf8"
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

      # So recent is the heartbeat of a process that runs.
      TICKING_NS = 5_000_000_000

      FolderIdentity::TEXT = /\A(\h{16}) (\d{10})\n\z/

      # One segment. `path` is absolute; `alive`: whether its process runs, by the process table `namespace`;
      # `link`: whether only a link exists, and `file`: its target, opened.
      DirectoryEntry = Data.define(:path, :pid, :start, :alive, :namespace, :link, :file) do
        def initialize(path:, pid:, start:, alive:, namespace: 0, link: false, file: nil)
          super
        end

        def name = File.basename(path)

        # Whether its process belongs to our process table and has ended, so that nothing more comes.
        def dead?(header)
          !alive && namespace.positive? && header.namespace == namespace
        end

        # Whether its process runs: by our process table; by its heartbeat, where it belongs to another one.
        def running?(header, now_ns)
          return false if dead?(header)
          alive || (!header.closed? && (now_ns - header.heartbeat_ns).abs < TICKING_NS)
        end

        def lost?
          link && file.nil?
        end

        # @raise [SegmentError, SystemCallError]
        def read(&)
          raise SegmentError::Lost.new(path:) if lost?
          file ? yield(Reader.over(file, path:, gone: !alive)) : Reader.open(path, gone: !alive, &)
        end
      end

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

      # Creates the folder, for this user only.
      # @raise [Error] it is there, and another user's
      # @raise [SystemCallError]
      def create
        Dir.mkdir(@path, 0o700)
      rescue Errno::EEXIST
        check_owner
      end

      # In /dev/shm anyone can make a folder of this name first. Its owner could plant figures in it, and
      # links to files that this user may write. Root may use the folder of an application.
      # @raise [Error] another user made it, or it is a link
      # @raise [SystemCallError] there is none
      def check_owner
        stat = File.lstat(@path)
        return if stat.directory? && (stat.owned? || Process.euid.zero?)
        raise Error.new("#{@path} is not a folder of this user",
          "run this as the application's user, or set HOLDUP_DIR to another folder")
      end

      def collected?
        File.open(lock_path) { |file| !file.flock(File::LOCK_SH | File::LOCK_NB) }
      rescue SystemCallError
        false
      end

      private

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
