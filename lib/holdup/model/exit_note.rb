# frozen_string_literal: true

module Holdup
  # How a process died, as the process that is its server's master says, or what ends it. A master measures
  # nothing itself, so it leaves a small file in the folder of the segments for the collector.
  #
  # - `pid`; `at_ns`: when the master saw it, since 1970
  # - `reason`: :timeout (the master kills it, because it does not answer), :killer (a gem that ends large
  #   processes has it end), :signal or :exit
  # - `status`: number of the signal, or exit status; nil for a timeout and a killer
  ExitNote = Data.define(:pid, :at_ns, :reason, :status) do
    # @param status [Process::Status]
    # @return [ExitNote, nil] nil for one that ended without a failure
    def self.of(status, at_ns)
      return if status.success?
      return new(status.pid, at_ns, :signal, status.termsig) if status.signaled?
      new(status.pid, at_ns, :exit, status.exitstatus)
    end

    # @return [ExitNote, nil] nil for a damaged line
    def self.parse(pid, line)
      at_ns, reason, status = self::LINE.match(line)&.captures
      new(pid, at_ns.to_i, reason.to_sym, status&.to_i) if at_ns
    end

    def to_line = "#{at_ns} #{reason}#{" #{status}" if status}\n"
  end

  ExitNote::LINE = /\A(\d{1,20}) (timeout|killer|signal|exit)(?: (\d{1,3}))?\n\z/

  # The notes in a folder of segments, a file for each process.
  class ExitNote::ExitFiles
    NAME = /\A(\d{1,10})\.exit\z/
    # A note has one or two lines.
    MOST_BYTES = 4096
    # A collector that is there has read a note after so long.
    KEEP_S = 600

    # @param folder [String]
    def initialize(folder)
      @folder = folder
    end

    # @param note [ExitNote]
    # @raise [SystemCallError]
    def add(note)
      flags = File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW
      File.open(path(note.pid), flags, 0o600) { |file| file.syswrite(note.to_line) }
    end

    # @param since_ns [Integer] what was noted before is of another process that had the pid
    # @return [ExitNote, nil] of that process. A timeout and a killer are noted before it ends, and a signal
    #   after, so the first one is the reason
    def find(pid, since_ns:)
      lines = File.open(path(pid), File::RDONLY | File::NOFOLLOW) { |file| file.read(MOST_BYTES).to_s.lines }
      lines.filter_map { |line| ExitNote.parse(pid, line) }.find { |note| note.at_ns >= since_ns }
    rescue SystemCallError
      nil
    end

    # Removes those of the processes, and those that are old.
    # @param pids [Array<Integer>]
    def remove(pids, now_s)
      names = Dir.children(@folder).grep(NAME)
      paths = names.map { |name| File.join(@folder, name) }
      done = pids.map { |pid| path(pid) }
      paths.each { |path| File.unlink(path) if done.include?(path) || old?(path, now_s) }
    rescue SystemCallError
      nil # the next round tries again
    end

    private

    def path(pid) = File.join(@folder, "#{pid}.exit")

    def old?(path, now_s) = now_s - File.mtime(path).to_i > KEEP_S
  end
end
