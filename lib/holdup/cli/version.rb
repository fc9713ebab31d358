# frozen_string_literal: true

module Holdup
  class CLI
    # Prints the version of Holdup and of the Ruby it runs on.
    class Version
      def self.options(_console)
        Options.new("holdup version")
      end

      def initialize(console:)
        @console = console
      end

      # @return [Integer] exit status
      def run
        @console.out.puts("holdup #{VERSION} (#{RUBY_DESCRIPTION})")
        OK
      end
    end
  end
end
