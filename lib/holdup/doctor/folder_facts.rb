# frozen_string_literal: true

module Holdup
  module Doctor
    # What the folder of the segments says: is it there, is it in memory, does a collector hold its lock.
    class FolderFacts
      attr_reader :dir

      # @param dir [String]
      # @param proc [String] where /proc is
      def initialize(dir, proc: "/proc")
        @dir = dir
        @proc = proc
      end

      # @return [Symbol] :ok :missing :unreadable
      def state
        return :missing unless File.directory?(@dir)
        (File.readable?(@dir) && File.executable?(@dir)) ? :ok : :unreadable
      end

      # @return [Hash] facts of a Host
      def to_h
        {dir: @dir, dir_state: state, tmpfs:, collector: Segment::Directory.new(@dir).collected?}
      end

      # @return [Boolean, nil] whether the segments are in memory; nil where /proc tells nothing
      def tmpfs
        return unless state == :ok
        return true if links_only?
        real = File.realpath(@dir).b
        mount = mounts.select { |point, _| inside?(real, point) }.max_by { |point, _| point.size }
        mount && %w[tmpfs ramfs].include?(mount.last)
      end

      private

      # Where there is no tmpfs the folder only points to the memory of the processes.
      def links_only?
        segments = Dir.glob("*.segment", base: @dir)
        segments.any? && segments.all? { |name| File.symlink?(File.join(@dir, name)) }
      end

      def mounts
        File.binread("#{@proc}/mounts").lines.map { |line| line.split.values_at(1, 2) }
      rescue SystemCallError
        []
      end

      def inside?(path, point)
        path == point || path.start_with?("#{point.delete_suffix("/")}/")
      end
    end
  end
end
