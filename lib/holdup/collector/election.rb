# frozen_string_literal: true

module Holdup
  class Collector
    # Decides which collector of a folder writes: the one that locks the lock file. The kernel releases the
    # lock when its holder dies, by any cause.
    class Election
      def initialize(path)
        @path = path
        @file = nil
      end

      # Whether this collector leads now.
      # @raise [SystemCallError] when the lock file can't be made
      def won?
        release unless held?
        @file ||= acquire
        !@file.nil?
      end

      # Whether it has led since the last check. A lock on a removed file does not count.
      def held? = !@file.nil? && named?(@file)

      # What does not work for the leader: the doctor can't see it otherwise. It is in the locked file, so
      # that it ends with the leader.
      # @param troubles [Hash{Symbol => String}] a message for each subject
      def note(troubles)
        return unless @file && troubles != @noted
        lines = troubles.map { |subject, message| "#{subject} #{Utf8.valid(message).gsub(/\s+/, " ")}\n" }
        text = ["#{Process.pid}\n", *lines].join
        @file.pwrite(text, 0)
        @file.truncate(text.bytesize)
        @noted = troubles.dup
      rescue SystemCallError
        nil # the folder's file system is full: the log has it
      end

      def release
        @file&.flock(File::LOCK_UN) # closing is not enough where a forked child has the same file open
        @file&.close
        @file = nil
      end

      private

      # Whether the lock file is still at its path.
      def named?(file)
        there = File.stat(@path)
        held = file.stat
        [there.dev, there.ino] == [held.dev, held.ino]
      rescue Errno::ENOENT, Errno::ENOTDIR
        false
      end

      # It may be removed between its opening and its lock.
      def acquire
        file = File.open(@path, File::RDWR | File::CREAT | File::NOFOLLOW, 0o600)
        return file.close unless file.flock(File::LOCK_EX | File::LOCK_NB) && named?(file)
        file.truncate(0)
        file.write("#{Process.pid}\n") # for people; the lock is what counts
        file.flush
        @noted = {}
        file
      end
    end
  end
end
