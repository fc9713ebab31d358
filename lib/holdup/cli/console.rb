# frozen_string_literal: true

module Holdup
  class CLI
    # A command's only access to the outside: its output, the environment, the time.
    Console = Data.define(:out, :err, :env, :clock) do
      # @return [Console] of this process
      def self.system
        new(out: $stdout, err: $stderr, env: ENV, clock: Clock.new)
      end

      # @return [Integer, nil] what COLUMNS says, else columns of the terminal; nil in a pipe or file
      def columns
        said = Integer(env["COLUMNS"].to_s, 10, exception: false)
        return said if said&.positive?
        return unless out.tty?
        require "io/console"
        width = out.winsize.last
        width.positive? ? width : nil
      end

      # @return [Integer] columns of sentences
      def width
        (columns || 80).clamp(self.class::WIDTHS)
      end

      # A pipe or file has no width, so tables take the columns that they need.
      # @return [Numeric] columns of tables
      def table_width
        columns || Float::INFINITY
      end

      # @param wide [Boolean] whether tables cut no name, however wide they become
      # @return [Hash{Symbol => Object}] for texts
      def layout(wide: false)
        {width:, table_width: wide ? Float::INFINITY : table_width, style: View::Style.for(out, env)}
      end

      # Prints a line that the next one replaces; outside a terminal each line stays.
      def pass(text)
        err.tty? ? err.print("\r#{text}\e[K") : err.puts(text)
      end

      # Removes the last such line.
      def clear
        err.tty? && err.print("\r\e[K")
      end

      # Detects a closed pipe here instead of when Ruby exits.
      def flush
        out.flush
      end

      # The output is closed, and Ruby's own flush at exit must not fail.
      def discard
        out.reopen(IO::NULL, "w") if out.respond_to?(:reopen) && out.respond_to?(:fileno)
      end
    end
    # Columns of sentences: longer and shorter lines are harder to read.
    Console::WIDTHS = (40..100)
  end
end
