# frozen_string_literal: true

module Holdup
  class StatsLog
    # Each sink has `call(line)`: true when the line is written, false when there was no room.
    module Sinks
      def self.for(target)
        case target
        when :stdout then Stream.standard(1)
        when :stderr then Stream.standard(2)
        when String then Path.new(target)
        when IO then Stream.new(target)
        else Device.new(target)
        end
      end

      # The application's own logger or device, which may take as long as it likes.
      class Device
        def initialize(device)
          @device = device
        end

        def call(line)
          @device.respond_to?(:info) ? @device.info(line.chomp) : @device.write(line)
          true
        end
      end

      # A file or named pipe, opened for each line: logrotate may move it at any time, no process inherits it,
      # and one append keeps the lines of several processes apart.
      class Path
        FLAGS = File::WRONLY | File::APPEND | File::NONBLOCK | File::NOCTTY
        MODE = 0o640

        def initialize(path, flags: File::CREAT)
          @path = path
          @flags = FLAGS | flags
        end

        # @raise [SystemCallError]
        def call(line)
          File.open(@path, @flags, MODE) do |file|
            file.write_nonblock(line, exception: false) == line.bytesize
          end
        end
      end

      # An open stream, such as the standard output, shared with other processes. Making it non-blocking would
      # affect all of them, so a pipe or terminal is opened once more for us alone. Where that is impossible
      # (sockets, other systems), and for files, which never block, it is first asked for room.
      class Stream
        OWN = "/proc/self/fd"

        # @param number [Integer] 1 or 2: the process's own, whatever the application has put into $stdout
        def self.standard(number)
          new(IO.for_fd(number, "w", autoclose: false))
        end

        # @param own [String] folder that lists this process's open files
        def initialize(io, own: OWN)
          @io = io
          @own = own
        end

        # @raise [SystemCallError, IOError]
        def call(line)
          return write_with_room(line) unless reopens?
          Path.new("#{@own}/#{@io.fileno}", flags: 0).call(line)
        rescue Errno::ENXIO, Errno::EACCES # a pipe without a reader, or of another user
          write_with_room(line)
        end

        private

        def reopens?
          File.directory?(@own) && (@io.stat.pipe? || @io.stat.chardev?)
        end

        def write_with_room(line)
          return false unless IO.select(nil, [@io], nil, 0)
          IO.for_fd(@io.fileno, "w", autoclose: false).syswrite(line) == line.bytesize
        end
      end
    end

    # Drops and counts lines that the sink does not take at once; logs the sink's failure once.
    class LogWriter
      # Lines that were not written.
      attr_reader :dropped

      def initialize(sink:, log:)
        @sink = sink
        @log = log
        @dropped = 0
      end

      def call(line)
        @dropped += 1 unless @sink.call(line)
      rescue SystemCallError, IOError => error
        @dropped += 1
        warn_once(error)
      end

      private

      def warn_once(error)
        return if @warned
        @warned = true
        @log.warn("stats_log can't be written, its lines are dropped until it can: #{error.message}")
      end
    end
  end
end
