# frozen_string_literal: true

module Holdup
  class CLI
    # A command class extends it. It has OPTIONS, ACTIONS if one of some words can follow its name, and
    # `keywords` if these are not simply the values of the options.
    module CommandArguments
      # @return [Array<String>] what can follow its name, beside options
      def words = const_defined?(:ACTIONS, false) ? self::ACTIONS : []

      # @return [Array<Queries::Option>]
      def options = self::OPTIONS.declared

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
