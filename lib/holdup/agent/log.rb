# frozen_string_literal: true

module Holdup
  # Holdup's messages, to an IO, a Logger (anything with a public `warn`), a path, or nowhere.
  class Log
    PREFIX = "holdup: "

    # @yieldreturn [#warn, IO, String, nil] called for each line, because an application sets its logger late
    def initialize(&target)
      @target = target
    end

    def warn(message) = write(:warn, message)

    # A target without levels gets it too.
    def info(message) = write(:info, message)

    private

    # A closed or broken stream must not stop the application.
    def write(level, message)
      line = "#{PREFIX}#{message}"
      target = @target.call
      if path?(target)
        file(target.to_s).call("#{line}\n")
      elsif target.respond_to?(:warn)
        target.public_send(target.respond_to?(level) ? level : :warn, line)
      else
        target&.write("#{line}\n")
      end
      nil
    rescue SystemCallError, IOError
      nil
    end

    # A Pathname has a `write` too, which would begin the file anew with each line.
    def path?(target)
      target.is_a?(String) || (target.respond_to?(:to_path) && !target.respond_to?(:fileno))
    end

    def file(path)
      @file = LogFile.new(path) unless @file&.path == path
      @file
    end

    # A file or named pipe, opened for each line as logrotate needs it. A pipe must never block the
    # application. What can't be written goes to the standard error, which says why once.
    class LogFile
      FLAGS = File::WRONLY | File::APPEND | File::CREAT | File::NONBLOCK | File::NOCTTY
      MODE = 0o640
      # These can be closed to being opened again: a socket of systemd, a terminal of another user.
      STANDARD = {
        "/dev/stdout" => 1, "/dev/fd/1" => 1, "/proc/self/fd/1" => 1,
        "/dev/stderr" => 2, "/dev/fd/2" => 2, "/proc/self/fd/2" => 2
      }.freeze

      attr_reader :path

      def initialize(path)
        @path = path
        @standard = STANDARD[path]
      end

      # @raise [SystemCallError, IOError] the standard error can't be written either
      def call(line)
        return stream.write(line) if @standard
        append(line)
      rescue SystemCallError, IOError => error
        raise if @standard
        complain(error)
        $stderr.write(line)
      end

      private

      def stream = (@standard == 1) ? $stdout : $stderr

      def append(line)
        File.open(@path, FLAGS, MODE) do |file|
          written = file.write_nonblock(line, exception: false)
          raise IOError, "it takes no more" unless written == line.bytesize
        end
      end

      def complain(error)
        return if @complained
        @complained = true
        $stderr.write("#{PREFIX}the log #{@path} can't be written (#{error.message}); " \
          "its lines go to the standard error\n")
      end
    end
  end
end
