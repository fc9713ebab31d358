# frozen_string_literal: true

module Holdup
  # The command line: finds the command, turns each failure into one line that says what to do, and returns an
  # exit status (0 success, 1 failure, 2 wrong usage). Only the requested command is loaded.
  #
  #   exit Holdup::CLI.new.run(ARGV)
  class CLI
    OK = 0
    FAILED = 1
    MISUSED = 2
    SIGNALED = 128
    # Ruby adds its C function and the path to the message of a failed system call. Our sentence names the
    # path.
    INSIDES = / @ \w+(?: - [^)]*)?/

    # @param console [Console]
    def initialize(console: Console.system)
      @console = console
    end

    def run(argv)
      ours = own_arguments(argv).map { |argument| Utf8.of(argument) }
      @debug = ours.include?("--debug")
      status = dispatch(ours - ["--debug"] + argv.drop(ours.size))
      @console.flush
      status
    rescue Errno::EPIPE # the reader has ended, as `head` does
      @console.discard
      OK
    rescue SignalException => error
      SIGNALED + error.signo
    rescue LoadError, StandardError => error
      complain(error)
    end

    private

    def dispatch(argv)
      name, *arguments = argv
      return Registry.fetch("help").call(arguments, @console) if name.nil? || %w[-h --help].include?(name)
      Registry.fetch(%w[-v --version].include?(name) ? "version" : name).call(arguments, @console)
    end

    # Arguments before "--" are Holdup's; the rest belongs to the command that it runs.
    def own_arguments(argv)
      argv.take_while { |argument| argument != "--" }
    end

    def complain(error)
      sentence = Utf8.valid(message(error)).lines.map(&:strip).join(" ").gsub(INSIDES, "")
      @console.err.puts("holdup: #{sentence}")
      @console.err.puts(error.full_message(highlight: false)) if @debug
      error.is_a?(UsageError) ? MISUSED : FAILED
    end

    def message(error)
      case error
      when Error
        error.message
      when LoadError
        "#{error.message}; install the gem it belongs to (`gem install holdup` brings all of them)"
      else
        "#{error.message} (#{error.class}); run it again with --debug and report what it prints"
      end
    end
  end
end
