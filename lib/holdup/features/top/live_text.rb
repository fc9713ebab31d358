# frozen_string_literal: true

module Holdup
  module Top
    # Draws a text in a terminal, each time anew as it is then, until a key ends it: `--watch` of several
    # commands.
    class LiveText
      # Between two pictures: the collector writes as often.
      EVERY_S = 10
      QUIT = ["q", :interrupt, :closed].freeze

      # @param console [CLI::Console]
      # @param input [IO] of the keys
      # @raise [UsageError] another format than a terminal's, or no terminal
      def self.check(console, input:, format:)
        unless format == :text
          raise UsageError.new("--watch and --#{format} can't be combined", "leave out one of them")
        end
        return if input.tty? && console.out.tty?
        raise UsageError.new("--watch needs a terminal", "leave it out to print once")
      end

      # @param terminal [Terminal]
      # @param clock [Clock]
      # @param every_s [Integer] seconds between two pictures
      def initialize(terminal, clock:, every_s: EVERY_S)
        @terminal = terminal
        @clock = clock
        @every_s = every_s
      end

      # A key of the terminal ends it, or a terminal that is gone.
      # @yieldparam passed_s [Integer] seconds since the first picture
      # @yieldreturn [String] the text as it is now
      def call
        begun_s = @clock.realtime_s
        @terminal.take do
          loop do
            draw(yield(@clock.realtime_s - begun_s))
            keys = @terminal.keys(@every_s)
            break if keys.intersect?(QUIT)
            @terminal.suspend if keys.include?(:suspend)
          end
        end
      end

      private

      # What is below the screen is not shown.
      def draw(text)
        height, = @terminal.size
        @terminal.draw(text.lines(chomp: true).first(height))
      end
    end
  end
end
