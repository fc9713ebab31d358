# frozen_string_literal: true

require_relative "path"

module Holdup
  class StatsLog
    module Sinks
      # An open stream, such as the standard output, which other processes and the application write to as
      # well. To make it non-blocking would make it so for all of them. So a pipe or a terminal is opened once
      # more, which is ours alone; where that can't be (sockets, other systems), and for files, which never
      # make anybody wait, it is asked for room first.
      class Stream
        OWN = "/proc/self/fd"

        # @param number [Integer] 1 or 2: the process's own, whatever the application has put into $stdout
        # @return [Stream]
        def self.standard(number)
          new(IO.for_fd(number, "w", autoclose: false))
        end

        # @param io [IO]
        # @param own [String] folder in which the system shows open files
        def initialize(io, own: OWN)
          @io = io
          @own = own
        end

        # @raise [SystemCallError, IOError]
        def call(line)
          again? ? Path.new("#{@own}/#{@io.fileno}", flags: 0).call(line) : written?(line)
        rescue Errno::ENXIO, Errno::EACCES # nobody reads a pipe any more, or it is another user's
          written?(line)
        end

        private

        def again?
          File.directory?(@own) && (@io.stat.pipe? || @io.stat.chardev?)
        end

        def written?(line)
          return false unless IO.select(nil, [@io], nil, 0)
          IO.for_fd(@io.fileno, "w", autoclose: false).syswrite(line) == line.bytesize
        end
      end
    end
  end
end
