# frozen_string_literal: true

module Holdup
  module ConfigurationKeys
    # The word that was probably meant: of settings, their variables, options and values.
    module Spelling
      # Longer ones are no mistyped name.
      LONGEST = 50
      # How a setting's sentence of what it takes names options and words: `every: 60`, `every=60`, `:quiet`.
      OPTION = /\b([a-z_]\w*)(?::(?!\/)|=)|(?<![\w:]):([a-z]\w*)/
      # A mistyped word differs in one letter of so many.
      CLOSE = 5
      # A word that begins another one.
      SHORTEST = 3
      # Share of the parts of two names that they have in common.
      LEAST_SHARE = 0.5
      # What users call a setting that has another name.
      OTHER_NAMES = {"disabled" => "enabled", "disable" => "enabled", "verbose" => "log", "debug" => "log",
                     "database" => "store", "yjit" => "jit", "interval" => "tick_seconds"}.freeze

      module_function

      # @param given [#to_s]
      # @param words [Array<String>]
      # @return [String, nil]
      def nearest(given, words)
        given = given.to_s.downcase[0, LONGEST]
        likely = corrected(given, words)
        return likely if likely && close?(likely, given)
        found = swapped(given, words) || beginning(given, words)
        found || likely || sharing(given, words) || other(given, words)
      end

      # @param expected [String] what a setting takes, in words
      # @return [Array<String>] the options and words in it
      def options(expected)
        expected.scan(OPTION).flatten.compact.uniq
      end

      # @param value [Object] that a setting can't have
      # @return [String, nil] for an option or a word of it
      def meant(value, words)
        given = given_words(value).reject { |word| words.include?(word) }
        given.filter_map { |word| nearest(word, words) }.first
      end

      # @return [Array<String>]
      def given_words(value)
        case value
        when Hash then value.keys.map(&:to_s)
        when Array then value.map(&:to_s)
        when Symbol then [value.to_s]
        when String then value.include?("=") ? value.scan(/([a-z_]\w*)=/i).flatten : value.split(/[,\s]+/)
        else []
        end
      end

      # The checker of DidYouMean does not find swapped letters in short words.
      def swapped(given, words)
        words.find { |word| word.downcase.chars.sort == given.chars.sort }
      end

      # An application may have switched it off.
      def corrected(given, words)
        return unless defined?(::DidYouMean::SpellChecker)
        ::DidYouMean::SpellChecker.new(dictionary: words).correct(given).first
      end

      # Few letters differ.
      def close?(word, given)
        ::DidYouMean::Levenshtein.distance(word.downcase, given) <= [given.size / CLOSE, 1].max
      end

      # `log` for `log_level` and `logger`, `store` for `store_url`.
      def beginning(given, words)
        longest = words.sort_by { |word| -word.size }
        longest.find { |word| given.start_with?("#{word}_") } ||
          longest.find { |word| word.size >= SHORTEST && given.start_with?(word) }
      end

      # The word that shares most parts with it: `dir` for `segment_dir`.
      def sharing(given, words)
        parts = given.split("_")
        shares = words.to_h { |word| [word, share(parts, word.downcase.split("_"))] }
        best = shares.values.max.to_f
        found = shares.select { |_, share| share == best }.keys
        found.first if best >= LEAST_SHARE && found.one?
      end

      def other(given, words)
        names = [given, *given.split("_")].filter_map { |name| OTHER_NAMES[name] }
        (names & words).first
      end

      # @return [Float] of the parts of both together
      def share(parts, others) = (parts & others).size.fdiv((parts | others).size)
      private_class_method :given_words, :swapped, :corrected, :close?, :beginning, :sharing,
        :other, :share
    end
  end
end
