# frozen_string_literal: true

require "io/console"
require "shellwords"

module Holdup
  class CLI
    # Shows a text that is longer than the terminal in $PAGER, else in less. `PAGER=cat` shows it as it is,
    # and so does a pager that does not start.
    class Pager
      DEFAULT = "less"
      # less ends where all fits, keeps colours, and leaves the text on the screen. What the user has set
      # holds.
      SETTINGS = {"LESS" => "FRX", "LESSCHARSET" => "utf-8"}.freeze

      # @param out [IO] the terminal
      # @param env [Hash{String => String}]
      def initialize(out, env)
        @out = out
        @env = env
      end

      # @param text [String]
      # @return [Boolean] whether it has more lines than the terminal, and the pager showed it
      def show(text)
        rows = @out.winsize.first
        rows.positive? && text.lines.size >= rows && scrolls? && page(text)
      end

      private

      # A pager would stop in an editor's shell and ask for a key.
      def scrolls? = !["", "dumb"].include?(@env["TERM"].to_s)

      def page(text)
        command = Shellwords.split(@env.fetch("PAGER", DEFAULT))
        return false if command.empty?
        IO.popen([SETTINGS.except(*@env.keys), *command], "w") { |pager| fill(pager, text) }
        true
      rescue SystemCallError, ArgumentError # no such program; a quote without its end
        false
      end

      # Whoever has read enough ends the pager before it has all.
      def fill(pager, text)
        pager.write(text)
      rescue Errno::EPIPE
        nil
      end
    end
  end
end
