# frozen_string_literal: true

require "pty"

# What `--watch` draws in a pseudo-terminal of this process until the key q, which is pressed before it
# begins.
module WatchedText
  # @param command [Class]
  # @param argv [Array<String>]
  # @return [String] all that was written to the terminal
  def watched(command, *argv, now_s:)
    PTY.open do |outside, terminal|
      outside.write("q")
      reading = Thread.new { read_all(outside) }
      console = Holdup::CLI::Console.new(out: terminal, err: StringIO.new, env: {"HOME" => "/nonexistent"},
        clock: CommandLine::Still.new(now_s:))
      command.new(console:, input: terminal, **command.parse(argv, console)).run
      terminal.close
      return reading.value
    end
  end

  private

  def read_all(outside)
    text = +""
    loop { text << outside.readpartial(4096) }
  rescue EOFError, Errno::EIO # Linux's end of a terminal
    text.force_encoding(Encoding::UTF_8)
  end
end
