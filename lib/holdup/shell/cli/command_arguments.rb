# frozen_string_literal: true

module Holdup
  class CLI
    # A command class extends it. It has OPTIONS, and `keywords` if these are not simply the values.
    module CommandArguments
      # @return [Hash{Symbol => Object}] keywords of `new`, or {help: text}
      # @raise [UsageError]
      def parse(argv, console)
        given = self::OPTIONS.parse(argv, now_s: console.clock.realtime_s)
        given.help ? {help: given.help} : keywords(given, console)
      end

      # @param given [GivenOptions]
      # @return [Hash{Symbol => Object}]
      # @raise [UsageError] options contradict each other
      def keywords(given, _console) = given.with_defaults
    end
  end
end
