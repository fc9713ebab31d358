# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../../model/errors"

module Holdup
  class Runtime
    # Creates this process's segment: a private folder, a unique file name, and space for it. Without a
    # writable tmpfs, or with a full one, it is anonymous memory, and the folder has a link to it. While the
    # process measures, the segment keeps its name: others remove files of /dev/shm and /tmp.
    class SegmentFile
      # A tmpfs can be small (Docker gives 64 MB): then the ring keeps fewer units.
      SMALL_RINGS = [512, 64].freeze
      FOLDER_MODE = 0o700
      MOST_NAMES = 1000
      # Anonymous memory can be read through it.
      DESCRIPTORS = "/proc/self/fd"
      # The collector comes at once when there is space for fewer segments, to remove those of processes that
      # have ended: an application that forks for each job can fill the folder between two rounds.
      LEAST_ROOM = 48
      LOST = {
        removed: "was removed",
        replaced: "was replaced by another file",
        closed: "lost its lock, because the application closed Holdup's descriptor"
      }.freeze
      private_constant :LOST

      def initialize(place:, probe:, log:, clock: Clock.new)
        @dir = place.dir
        @anonymous = place.anonymous
        @probe = probe
        @log = log
        @clock = clock
        @losses = 0
      end

      # @param ring [Integer] units that the ring keeps
      # @param pairs [Integer] rows of who waited for whom
      # @raise [SystemCallError, Error] when it can't be created
      def open(series:, ring:, pairs:, worker:, generation:)
        prepare_folder
        @pairs = pairs
        [ring, *SMALL_RINGS.select { |small| small < ring }].each do |size|
          @path = try(series, size, worker, generation, anonymous: @anonymous) or next
          @log.warn("#{@dir} is nearly full: keeping #{size} units singly instead of #{ring}") if size < ring
          hurry if @probe.segment_room&.<(LEAST_ROOM)
          return @path
        end
        hurry
        @path = open_beside(series, ring, worker, generation)
        @path || raise(Error.new("no space left in #{@dir}",
          "make it larger (Docker: --shm-size) or set HOLDUP_DIR to another tmpfs"))
      end

      # Makes the segment again, with all that it has, so that the collector goes on where it was. Until that
      # works the process measures into the memory that it has. Called at each tick that finds its name gone.
      # @param why [Symbol] one of LOST
      def name_again(why)
        prepare_folder
        put_back
        @losses += 1
        @lost = why
        @lost_at_s = @clock.realtime_s
        tell_again if @losses == 1 || @told
        @failed = @told = nil
      rescue SystemCallError, Error => error
        tell_lost(*@failed) if @failed # the first try may have met the removal itself
        @failed = [why, error.message]
      end

      # The process measures no more.
      def ends
        tell_lost(*@failed) if @failed
      end

      # @return [Hash{String => Object}] for the profile: how often others took the name, and the last time
      def profile
        return {} if @losses.zero?
        {"segment.lost" => @lost.name, "segment.lost_times" => @losses, "segment.lost_at_s" => @lost_at_s}
      end

      private

      # A full tmpfs leads to a segment in memory, as at the start.
      def put_back
        @probe.name_segment_again(@anonymous)
      rescue Errno::ENOSPC, Errno::ENOMEM
        raise unless File.directory?(DESCRIPTORS)
        @probe.name_segment_again(true)
      end

      def tell_again
        @log.warn("the segment of this process #{LOST.fetch(@lost)} (#{@path}): it is back, and nothing " \
          "that was measured is lost. Find what removes it: `RemoveIPC=` of systemd's logind, a cleaner of " \
          "temporary files (`holdup docs troubleshooting`)")
      end

      # The log has each reason once.
      def tell_lost(why, reason)
        return if reason == @told
        @told = reason
        @log.warn("the segment of this process #{LOST.fetch(why)} and can't be made again (#{reason}): " \
          "what it measures stays in its memory, and is lost when it ends before that works")
      end

      # A process that starts while others have filled the folder keeps its figures in memory: the link to
      # them takes no space.
      # @return [String, nil]
      def open_beside(series, ring, worker, generation)
        return unless File.directory?(DESCRIPTORS)
        path = try(series, ring, worker, generation, anonymous: true)
        @log.warn("#{@dir} is full: keeping the figures of this process in memory") if path
        path
      end

      def try(series, ring, worker, generation, anonymous:)
        path = free_path
        values = [path, series, ring, worker, generation, @pairs]
        anonymous ? @probe.open_anonymous_segment(*values) : @probe.open_segment(*values)
        path
      rescue Errno::EEXIST
        retry # a process of another container, with our pid and start time, took it meanwhile
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
        File.chmod(FOLDER_MODE, @dir) unless stat.mode & 0o777 == FOLDER_MODE
      end

      def make(dir)
        return if File.directory?(dir)
        make(File.dirname(dir))
        Dir.mkdir(dir, FOLDER_MODE)
        File.chmod(FOLDER_MODE, dir) # the application's umask may take rights of the owner
      rescue Errno::EEXIST
        nil
      end
    end
  end
end
