# frozen_string_literal: true

require_relative "../../model/clock"
require_relative "../../model/exit_note"

module Holdup
  module Servers
    # Notes, in a server's master, how its workers die: where the collector looks for it.
    class WorkerExits
      # @param folder [#call] gives the folder of the segments
      def initialize(folder, clock: Clock.new)
        @folder = folder
        @clock = clock
        @master = Process.pid
      end

      # The master has reaped a worker. A worker that comes here, because it is a copy of its master, does not
      # know.
      # @param status [Process::Status, nil]
      def reaped(status)
        return if status.nil? || Process.pid != @master
        note = ExitNote.of(status, @clock.realtime_ns)
        add(note) if note
      end

      # The master is about to kill a worker that does not answer.
      def timed_out(pid)
        add(ExitNote.new(pid, @clock.realtime_ns, :timeout, nil)) if pid
      end

      # A gem is about to end a process that has grown too large. It may do so several times.
      def killed(pid)
        return if pid.nil? || @killed == pid
        add(ExitNote.new(pid, @clock.realtime_ns, :killer, nil))
        @killed = pid
      end

      private

      def add(note)
        ExitNote::ExitFiles.new(@folder.call).add(note)
      rescue SystemCallError
        nil # without a folder no worker measures; in a full one the reason stays unknown
      end
    end
  end
end
