# frozen_string_literal: true

require_relative "error"

module Holdup
  # A file in the segment folder that can't be read as one. The collector skips it and says so once.
  class SegmentError < Error
    # The file has another magic, or is too short, or its offsets point outside of it.
    class NotASegment < SegmentError
      # @return [String] what is wrong with it
      attr_reader :reason

      # @param path [String]
      # @param reason [String] what is wrong with it
      def initialize(path:, reason:)
        @reason = reason
        super("#{path} is not a segment of Holdup (#{reason})", "remove it if nothing of yours wrote it")
      end
    end

    # The memory of a process without a tmpfs, which ended before a collector had it open.
    class Lost < SegmentError
      # @param path [String] of the link
      def initialize(path:)
        super("#{path} led to the memory of a process that ended before the collector saw it, its units are lost",
          "give Holdup a tmpfs (HOLDUP_DIR, or Docker's --shm-size) and nothing is")
      end
    end

    # The file was written by another version of Holdup.
    class UnknownLayout < SegmentError
      # @param path [String]
      # @param found [Integer] the layout version in the file
      # @param known [Integer] the layout version this reader knows
      def initialize(path:, found:, known:)
        older = (found > known) ? "collector" : "application"
        super("#{path} has segment layout #{found}, this Holdup reads layout #{known}",
          "restart the #{older} so that both run the same version")
      end
    end
  end
end
