# frozen_string_literal: true

module Holdup
  class StatsLog
    module Sinks
      # A file, or a named pipe. Opened for each line: then it may be moved away at any time (logrotate), no
      # process inherits it, and one write at its end keeps the lines of several processes apart.
      class Path
        FLAGS = File::WRONLY | File::APPEND | File::NONBLOCK | File::NOCTTY
        MODE = 0o640

        # @param path [String]
        # @param flags [Integer] added to those
        def initialize(path, flags: File::CREAT)
          @path = path
          @flags = FLAGS | flags
        end

        # @raise [SystemCallError]
        def call(line)
          File.open(@path, @flags, MODE) { |file|
            file.write_nonblock(line, exception: false) == line.bytesize
          }
        end
      end
    end
  end
end
