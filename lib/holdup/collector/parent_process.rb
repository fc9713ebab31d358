# frozen_string_literal: true

module Holdup
  class Collector
    # The process that a collector was started for. It is gone when it died, and when it runs another program:
    # a server that restarts itself keeps its pid but closes the pipe that we got as standard input. Its forks
    # hold that pipe too, so it is not gone while one of its workers lives.
    class ParentProcess
      attr_reader :pid

      # @param input [IO, nil] watched only when it is a pipe
      def initialize(pid, input: $stdin, owner: Segment::OwnerProcess.new)
        @pid = pid
        @owner = owner
        @start = owner.start_of(pid)
        @pipe = input if input&.stat&.pipe?
      end

      def gone?
        !@owner.alive?(@pid, @start.to_i) || closed?
      end

      # Whether that process is the parent or one of its workers.
      def family?(header)
        [header.pid, header.parent].include?(@pid)
      end

      private

      def closed?
        return false unless @pipe
        @pipe.read_nonblock(1, exception: false).nil?
      rescue SystemCallError, IOError
        true
      end
    end
  end
end
