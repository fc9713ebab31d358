# frozen_string_literal: true

require "io/console"

module Holdup
  module Top
    # A terminal as lines to draw and keys to read. Of what comes with Ruby, io/console has all that this
    # needs: raw mode, size and the mode to go back to. Reline edits lines and can't draw a screen, curses is
    # a native gem, and the tty-* gems are no longer maintained.
    class Terminal
      # The second screen, without cursor and without wrapping at the right edge.
      ENTER = "\e[?1049h\e[?25l\e[?7l"
      LEAVE = "\e[?7h\e[?25h\e[?1049l"
      ERASE = "\e[2J"
      USUAL = [24, 80].freeze
      KEYS = {
        "\e[A" => :up, "\eOA" => :up, "\e[B" => :down, "\eOB" => :down, "\e[5~" => :page_up,
        "\e[6~" => :page_down, "\e" => :escape, "\t" => :tab, "\r" => :enter, "\n" => :enter,
        "\x7F" => :backspace, "\b" => :backspace, "\x03" => :interrupt, "\x1A" => :suspend
      }.freeze
      PRESSED = /\e\[[0-9;]*[A-Za-z~]|\eO[A-Z]|./m
      BYTES = 256

      # @param input [IO] a terminal
      # @param output [IO] a terminal
      def initialize(input, output)
        @input = input
        @output = output
        @drawn = []
      end

      # Takes the terminal for the block, and gives it back as it was, also after an exception or a signal.
      def take
        @mode = @input.console_mode
        @woken, @wake = IO.pipe
        handler = trap("WINCH") { @wake.write_nonblock(".", exception: false) }
        begin
          enter
          yield
        ensure
          leave
          trap("WINCH", handler || "DEFAULT")
          [@woken, @wake].each(&:close)
        end
      end

      # Stops this process as Ctrl-Z does for others, and goes on after `fg`.
      def suspend
        leave
        Process.kill(:STOP, Process.pid)
        enter
      end

      # @return [Array(Integer, Integer)] lines and columns
      def size
        found = @output.winsize
        found.include?(0) ? USUAL : found
      rescue SystemCallError
        USUAL
      end

      # Sends only lines that have changed, since a terminal may be far away.
      # @param lines [Array<String>] not more than fit
      def draw(lines)
        parts = lines.each_with_index.filter_map do |line, index|
          "\e[#{index + 1};1H\e[2K#{line}" unless line == @drawn[index]
        end
        parts << "\e[#{lines.size + 1};1H\e[J" if lines.size < @drawn.size
        @drawn = lines
        write(parts.join) unless parts.empty?
      end

      # Waits for keys. A change of the size ends it too.
      # @return [Array<Symbol, String>] values of KEYS, printable characters; :closed if the terminal is gone
      def keys(seconds)
        ready, = IO.select([@input, @woken], nil, nil, seconds)
        resize if ready&.include?(@woken)
        return [] unless ready&.include?(@input)
        self.class.decode(@input.readpartial(BYTES))
      rescue EOFError, Errno::EIO
        [:closed]
      end

      # @param bytes [String] as read from a terminal
      # @return [Array<Symbol, String>]
      def self.decode(bytes)
        pressed = Utf8.valid(bytes.dup.force_encoding(Encoding::UTF_8)).scan(PRESSED)
        pressed.filter_map { |key| KEYS[key] || (key if key.match?(/\A[[:print:]]\z/)) }
      end

      private

      def enter
        @input.raw!
        write(ENTER + ERASE)
        @drawn = []
      end

      # Each step for itself: a terminal that is gone must not keep the next from being done.
      def leave
        [-> { write(LEAVE) }, -> { @input.console_mode = @mode }].each do |step|
          step.call
        rescue SystemCallError, IOError
          nil
        end
      end

      def resize
        @woken.read_nonblock(BYTES, exception: false)
        @drawn = []
        write(ERASE)
      end

      def write(text)
        @output.write(text)
        @output.flush
      end
    end
  end
end
