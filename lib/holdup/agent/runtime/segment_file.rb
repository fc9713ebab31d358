# frozen_string_literal: true

require_relative "../../model/errors"

module Holdup
  class Runtime
    # Creates this process's segment: a private folder, a unique file name, and space for it. Without a
    # writable tmpfs, or with a full one, it is anonymous memory, and the folder has a link to it.
    class SegmentFile
      # A tmpfs can be small (Docker gives 64 MB): then the ring keeps fewer units.
      SMALL_RINGS = [512, 64].freeze
      FOLDER_MODE = 0o700
      MOST_NAMES = 1000
      # Anonymous memory can be read through it.
      DESCRIPTORS = "/proc/self/fd"
      # With space for fewer segments the collector comes at once, to remove those of processes that have
      # ended: an application that forks for each job can fill the folder between two rounds.
      LEAST_ROOM = 48

      def initialize(place:, probe:, log:)
        @dir = place.dir
        @anonymous = place.anonymous
        @probe = probe
        @log = log
      end

      # @param ring [Integer] units that the ring keeps
      # @raise [SystemCallError, Error] when it can't be created
      def open(series:, ring:, worker:, generation:)
        prepare_folder
        [ring, *SMALL_RINGS.select { |small| small < ring }].each do |size|
          path = try(series, size, worker, generation, anonymous: @anonymous) or next
          @log.warn("#{@dir} is nearly full: keeping #{size} units singly instead of #{ring}") if size < ring
          hurry if @probe.segment_room&.<(LEAST_ROOM)
          return path
        end
        hurry
        open_beside(series, ring, worker, generation) || raise(Error.new("no space left in #{@dir}",
          "make it larger (Docker: --shm-size) or set HOLDUP_DIR to another tmpfs"))
      end

      private

      # For a process that starts while others have filled the folder: the link takes no space.
      # @return [String, nil]
      def open_beside(series, ring, worker, generation)
        return unless File.directory?(DESCRIPTORS)
        path = try(series, ring, worker, generation, anonymous: true)
        @log.warn("#{@dir} is full: keeping the figures of this process in memory") if path
        path
      end

      def try(series, ring, worker, generation, anonymous:)
        path = free_path
        values = [path, series, ring, worker, generation]
        anonymous ? @probe.open_anonymous_segment(*values) : @probe.open_segment(*values)
        path
      rescue Errno::ENOSPC, Errno::ENOMEM
        nil
      end

      # A process that stops and starts again has a second segment; the collector may not have finished the
      # first.
      def free_path
        base = File.join(@dir, "#{Process.pid}-#{start_time}")
        names = ["#{base}.segment"].chain((2..MOST_NAMES).lazy.map { |number| "#{base}-#{number}.segment" })
        names.find { |path| !File.exist?(path) && !File.symlink?(path) }
      end

      # Field 22 of /proc/self/stat, in clock ticks since boot: with the pid it identifies a process.
      def start_time
        stat = "/proc/self/stat"
        File.readable?(stat) ? File.binread(stat).rpartition(")").last.split[19] : "0"
      end

      # Loaded here, because hardly any process needs it.
      def hurry
        require_relative "../../segment/directory"
        Segment::Directory.new(@dir).hurry
      rescue SystemCallError
        nil # the collector comes within seconds anyway
      end

      def prepare_folder
        make(@dir)
        stat = File.lstat(@dir)
        owned = stat.directory? && stat.uid == Process.euid
        raise Error.new("#{@dir} is not a folder of this user", "set HOLDUP_DIR to one that is") unless owned
        File.chmod(FOLDER_MODE, @dir) unless stat.mode & 0o077 == 0
      end

      def make(dir)
        return if File.directory?(dir)
        make(File.dirname(dir))
        Dir.mkdir(dir, FOLDER_MODE)
      rescue Errno::EEXIST
        nil
      end
    end
  end
end
