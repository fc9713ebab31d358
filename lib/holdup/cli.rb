# frozen_string_literal: true

require_relative "cli/console"
require_relative "cli/registry"
require_relative "errors"

module Holdup
  # The command line: finds the command, turns every failure into one line that says what to do, and returns an exit
  # status (0 fine, 1 could not do it, 2 asked wrongly). Only the command that was asked for is loaded.
  #
  #   exit Holdup::CLI.new.run(ARGV)
  class CLI
    OK = 0
    FAILED = 1
    MISUSED = 2
    SIGNALED = 128

    # @param console [Console] everything outside that a command may touch
    def initialize(console: Console.system)
      @console = console
    end

    # @param argv [Array<String>]
    # @return [Integer] exit status
    def run(argv)
      @debug = argv.take_while { |argument| argument != "--" }.include?("--debug")
      status = dispatch(argv.reject.with_index { |argument, i| argument == "--debug" && i < (argv.index("--") || argv.size) })
      @console.flush
      status
    rescue Errno::EPIPE # the reader has gone, as `head` does: nothing is left to say
      @console.discard
      OK
    rescue UsageError => error
      complain(error, MISUSED)
    rescue Error => error
      complain(error, FAILED)
    rescue LoadError => error
      complain(error, FAILED, "#{error.message}; install the gem it belongs to (`gem install holdup` brings all of them)")
    rescue SignalException => error
      SIGNALED + error.signo
    rescue => error
      complain(error, FAILED, "#{error.message} (#{error.class}); run it again with --debug and report what it prints")
    end

    private

    def dispatch(argv)
      name, *arguments = argv
      return Registry.fetch("help").call(arguments, @console) if name.nil? || %w[-h --help].include?(name)
      Registry.fetch(%w[-v --version].include?(name) ? "version" : name).call(arguments, @console)
    end

    def complain(error, status, message = error.message)
      @console.err.puts("holdup: #{message.lines.map(&:strip).join(" ")}")
      @console.err.puts(error.full_message(highlight: false)) if @debug
      status
    end
  end
end
