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

      # @return [Hash{Symbol => Object}] keywords of `new`, or {help: text, texts: HelpTexts}
      # @raise [UsageError]
      def parse(argv, console)
        given = self::OPTIONS.parse(argv, now_s: console.clock.realtime_s)
        given.help ? help(given, console) : keywords(given, console)
      end

      # @return [Hash{Symbol => Object}] the help in the language that was asked for
      def help(given, console)
        texts = HelpTexts.of(given.language || Places.language(console.env))
        {help: given.options.help(texts), texts:}
      end

      # @param given [GivenOptions]
      # @return [Hash{Symbol => Object}]
      # @raise [UsageError] options contradict each other
      def keywords(given, _console) = given.with_defaults
    end
  end
end
