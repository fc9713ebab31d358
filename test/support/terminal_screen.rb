# frozen_string_literal: true

require "io/console"
require "io/wait"
require "pty"
require "tempfile"

# A program in a real pseudo-terminal, and what a person would see there: as much of a terminal as a screen of
# lines needs.
class TerminalScreen
  SEQUENCE = /\e\[(\?)?([0-9;]*)([A-Za-z])|([^\e]+)/
  PART_OF_A_SEQUENCE = /\e(\[[?0-9;]*)?\z/
  # Tests that run under nohup would have the program ignore what it is sent.
  USUAL_SIGNALS = %w[env --default-signal].freeze
  # The program may change the terminal's modes before somebody outside has asked for them.
  KEEPING_MODES = ["sh", "-c", 'stty -g >"$0" && exec "$@"'].freeze
  END_SECONDS = 180

  # @param size [Array(Integer, Integer)] lines and columns
  # @yieldparam screen [TerminalScreen] while the program runs
  def self.run(*command, env: {}, size: [24, 80])
    Tempfile.create("modes") do |modes|
      PTY.spawn(env, *USUAL_SIGNALS, *KEEPING_MODES, modes.path, *command) do |reader, writer, pid|
        reader.winsize = size
        yield new(reader, writer, pid, modes)
      ensure
        finish(pid)
      end
    end
  end

  def self.finish(pid)
    Process.kill(:KILL, pid)
    Process.wait(pid)
  rescue Errno::ESRCH, Errno::ECHILD # it has ended by itself
    nil
  end

  # Everything that was ever written.
  attr_reader :pid, :written

  # @param modes [File] that the modes before the program are in, once it has begun
  def initialize(reader, writer, pid, modes)
    @reader = reader
    @writer = writer
    @pid = pid
    @modes = modes
    @written = +""
    @rest = +""
    @lines = Hash.new("")
    @at = 1
  end

  def press(keys)
    @writer.write(keys)
    @writer.flush
  end

  def resize(lines, columns)
    @reader.winsize = [lines, columns]
  end

  # @return [Array<String>] what is on the screen now
  def lines
    read
    Array.new(@lines.keys.max.to_i) { |index| @lines[index + 1] }
  end

  def text = lines.join("\n")

  # Waits until the program has ended.
  # @return [Process::Status]
  def wait
    deadline_s = Process.clock_gettime(Process::CLOCK_MONOTONIC) + END_SECONDS
    until @ended
      @reader.wait_readable(1)
      read
      raise "it has not ended:\n#{@written}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline_s
    end
    Process.wait2(@pid).last
  end

  # @return [String] modes of the terminal before the program, as `stty -g` prints them
  def modes_before = File.read(@modes.path)

  # @return [String] likewise, now
  def modes = IO.popen(%w[stty -g], in: @reader, &:read)

  private

  def read
    loop do
      bytes = @reader.read_nonblock(65_536, exception: false)
      break if bytes.nil? || bytes == :wait_readable
      show(bytes.force_encoding(Encoding::UTF_8))
    end
  rescue Errno::EIO # the program has ended
    @ended = true
  end

  def show(text)
    @written << text
    text = @rest + text
    @rest = text[PART_OF_A_SEQUENCE].to_s
    text.delete_suffix(@rest).scan(SEQUENCE) do |private_mode, numbers, letter, plain|
      next @lines[@at] += plain if plain
      act(letter, numbers) unless private_mode
    end
  end

  def act(letter, numbers)
    case letter
    when "H" then @at = numbers.to_i
    when "K" then @lines[@at] = ""
    when "J"
      from = (numbers == "2") ? 1 : @at
      @lines.delete_if { |line, _| line >= from }
    end
  end
end
