# frozen_string_literal: true

module Holdup
  module View
    # Colours for terminals. They only repeat what characters already say, so a report without them loses
    # nothing.
    class Style
      CODES = {bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36}.freeze

      # @param io [IO] the report's destination
      # @param env [Hash] NO_COLOR (any value) and TERM=dumb switch colours off
      def self.for(io, env)
        new(io.tty? && env["NO_COLOR"].to_s.empty? && env["TERM"] != "dumb")
      end

      def self.none = new(false)

      def initialize(enabled)
        @enabled = enabled
      end

      # @param color [Symbol, nil] a key of CODES
      def paint(text, color)
        return text unless @enabled && color
        "\e[#{CODES.fetch(color)}m#{text}\e[0m"
      end
    end
  end
end
