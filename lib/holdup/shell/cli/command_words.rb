# frozen_string_literal: true

module Holdup
  class CLI
    # Finds the command among the words that were typed: options may stand before it, and some commands have a
    # second name of two words.
    module CommandWords
      # Options of many commands whose next word is their value, and never a command.
      VALUED = [*Queries::SelectionOptions::ALL, Options::LANGUAGE, Options::OUT, *Formats.options([])]
        .flat_map { |option| [option.flag, Options::LETTERS[option.flag]] }.compact.freeze

      # @param words [Array<String>] of the command line
      # @param commands [Hash{String => Features::Listed}] by name
      # @return [Array<String>] the name of a command, then its arguments; DEFAULT if there are only options
      def self.find(words, commands)
        at = position(words, commands) or return [DEFAULT, *words]
        name, *rest = words.drop(at)
        other = commands.each_value.find { |listed| listed.entry.also == "#{name} #{rest.first}" }
        name, rest = other.name, rest.drop(1) if other
        [name, *words.first(at), *rest]
      end

      # @return [Integer, nil] of the command, or of what was meant as one
      def self.position(words, commands)
        return if words.empty?
        return 0 unless words.first.start_with?("-")
        words.each_index.find { |index| commands.key?(words[index]) && !value?(words, index) }
      end

      def self.value?(words, index) = index.positive? && VALUED.include?(words[index - 1])
      private_class_method :position, :value?
    end
  end
end
