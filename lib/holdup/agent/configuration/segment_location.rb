# frozen_string_literal: true

module Holdup
  class Configuration
    # Where a process's segment goes: a folder on tmpfs; where none can be written, memory without a name,
    # which a folder on disk only points to (Linux); a folder on disk where there is no tmpfs at all. A store
    # into a mapped file on a disk can block on write-back, with the GVL held.
    #
    # - `dir`: the folder; `anonymous`: whether only links are in it
    SegmentLocation = Data.define(:dir, :anonymous) do
      # @param given [String, nil] the folder that a person has chosen: taken as it is
      # @param uid [Integer]
      # @param roots [Array<String>] the best first
      # @param mounts [String] the table of mounted file systems
      # @return [SegmentLocation]
      def self.find(given, uid: Process.uid, roots: ["/dev/shm", "/run/user/#{uid}", "/run/shm", "/tmp"],
        mounts: "/proc/mounts")
        return new(dir: given, anonymous: false) if given
        writable = roots.select { |root| File.directory?(root) && File.writable?(root) }
        in_memory = writable.find { |root| tmpfs?(File.realpath(root), mounts) }
        new(dir: File.join(in_memory || writable.first || "/tmp", "holdup-#{uid}"),
          anonymous: !in_memory && File.readable?(mounts))
      end

      def self.tmpfs?(path, mounts)
        return false unless File.readable?(mounts)
        path = path.b # a mounted folder's name may be any bytes
        points = File.binread(mounts).lines.map { |line| line.split.values_at(1, 2) }
        _, type = points.select { |point, _| path == point || path.start_with?("#{point.delete_suffix("/")}/") }.max_by { |point, _|
          point.size
        }
        %w[tmpfs ramfs].include?(type)
      end
      private_class_method :tmpfs?
    end
  end
end
