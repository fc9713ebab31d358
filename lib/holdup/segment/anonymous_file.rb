# frozen_string_literal: true

module Holdup
  module Segment
    # Segments in memory without a name: a link in the folder says which descriptor of which process it is.
    # With the process it is gone, unless somebody has it open. So each is kept open from the first sight
    # until its link is removed.
    class AnonymousFile
      LINK = %r{\A/proc/(\d+)/fd/\d+\z}

      def initialize
        @files = {}
      end

      # @param path [String] of the link
      # @param pid [Integer] the process that its name says
      # @return [File, nil] nil when the process ended before anybody had it open
      def file(path, pid)
        @files[path] ||= opened(path, pid)
      end

      # Closes what has no link any more.
      # @param paths [Array<String>] the links that are still there
      # @return [void]
      def keep(paths)
        gone = @files.keys - paths
        gone.each { |path| @files.delete(path)&.close }
      end

      private

      # A link to anything but that process's own memory is none of ours.
      def opened(path, pid)
        target = File.readlink(path)
        return unless LINK.match(target)&.captures == [pid.to_s]
        File.open(target, File::RDONLY | File::NONBLOCK | File::BINARY)
      rescue SystemCallError
        nil
      end
    end
  end
end
