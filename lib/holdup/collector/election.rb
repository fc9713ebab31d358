# frozen_string_literal: true

module Holdup
  class Collector
    # Decides which collector of a folder writes: the one that holds the lock on its lock file. The kernel
    # gives the lock back when its holder dies, however it dies.
    class Election
      # @param path [String] the lock file
      def initialize(path)
        @path = path
        @file = nil
      end

      # @return [Boolean] whether this collector leads, now
      # @raise [SystemCallError] the lock file can't be made
      def won?
        release unless held?
        @file ||= acquire
        !@file.nil?
      end

      # A lock on a file that was removed does not count: others lock the new one.
      # @return [Boolean] whether it has led since the last look
      def held?
        return false unless @file
        there = File.stat(@path)
        held = @file.stat
        [there.dev, there.ino] == [held.dev, held.ino]
      rescue Errno::ENOENT
        false
      end

      def release
        @file&.flock(File::LOCK_UN) # closing is not enough where a forked child has the same file open
        @file&.close
        @file = nil
      end

      private

      def acquire
        file = File.open(@path, File::RDWR | File::CREAT | File::NOFOLLOW, 0o600)
        return file.close unless file.flock(File::LOCK_EX | File::LOCK_NB)
        file.truncate(0)
        file.write("#{Process.pid}\n") # for people; the lock is what counts
        file.flush
        file
      end
    end
  end
end
