# frozen_string_literal: true

module Holdup
  class Collector
    # The process that a collector was started for. It has gone when it died, and also when it became another
    # program: a server that restarts itself keeps its pid but closes the pipe that it gave us as standard
    # input. Its forks hold that pipe too, so as long as one of its workers lives, it has not gone.
    class ParentProcess
      # @return [Integer]
      attr_reader :pid

      # @param pid [Integer]
      # @param input [IO, nil] watched only when it is a pipe
      # @param owner [Segment::OwnerProcess]
      def initialize(pid, input: $stdin, owner: Segment::OwnerProcess.new)
        @pid = pid
        @owner = owner
        @start = owner.start_of(pid)
        @pipe = input if input&.stat&.pipe?
      end

      def gone?
        !@owner.alive?(@pid, @start.to_i) || closed?
      end

      # @param header [Segment::Header]
      # @return [Boolean] whether that process is the parent or a worker of it
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
