# frozen_string_literal: true

module Holdup
  module View
    # How a Lever is changed, in a sentence. The locales have for a key `lever_<key>_then`, what else to do
    # once it is written, and `lever_<key>` where the whole is not just "what to write, what else to do".
    class LeverText
      # What was recorded may name a key of another version, which has no sentence here.
      def initialize(key, write:, words:, facts: {})
        @key = key
        @write = write && Width.clean(write)
        @words = words
        @facts = facts.to_h { |name, fact| [name.to_sym, Width.clean(fact)] }
      end

      # @return [String, nil] nil where nothing is known
      def whole
        return say(:"lever_#{@key}", write: @write, then: self.then) if @words.key?(:"lever_#{@key}")
        return @write || (@key && Width.clean(@key)) unless self.then
        say(:lever_how, write: @write, then: self.then)
      end

      # @return [String, nil] what else to do once it is written
      def then
        key = :"lever_#{@key}_then"
        say(key) if @words.key?(key)
      end

      # @param place [String, nil] a SettingPlace
      # @return [String, nil]
      def self.place(place, words)
        return words.call(:place_command_line) if SettingPlace.command_line?(place)
        variable = SettingPlace.variable_of(place)
        return words.verbatim(:place_variable, name: variable) if variable
        place && Width.clean(place)
      end

      private

      def say(key, **values) = @words.verbatim(key, **@facts, **values)
    end
  end
end
