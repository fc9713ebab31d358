# frozen_string_literal: true

module Holdup
  module Store
    # What the error codes of a database mean: a list for each, whose first fitting entry holds. An unknown
    # code is unexpected, never damage. ServerErrors has the sentences.
    class ErrorTable
      # - `kind`: see ServerErrors::CLASSES and LIMITS, and Sql::Faults
      # - `codes`: as the database writes them, or the first two characters of a SQLSTATE
      # - `words`: Regexp of what must be said besides, or nil; alone it is enough where a driver gives no
      # code
      # - `setting`: name of the limit, where there is one
      CodeMeaning = Data.define(:kind, :codes, :words, :setting) do
        # @param code [String, nil] nil: the driver gives none
        # @param text [String] the message
        def covers?(code, text)
          return !words.nil? && words.match?(text) unless code
          return false unless codes.include?(code) || codes.include?(code[/\A..(?=...\z)/])
          words.nil? || words.match?(text)
        end
      end

      # What needs no code.
      # @return [CodeMeaning]
      def self.of(kind, setting: nil) = CodeMeaning.new(kind:, codes: [], words: nil, setting:)

      UNEXPECTED = of(:unexpected)

      # @param code [String, Integer, nil]
      # @return [CodeMeaning, nil] nil when the code is unknown
      def self.find(code, text)
        code = code&.to_s
        self::ENTRIES.find { |entry| entry.covers?(code, text) }
      end

      # @param words [Array<Regexp>] one of which must be said
      def self.entry(kind, *codes, words: [], setting: nil)
        pattern = Regexp.union(words) if words.any?
        CodeMeaning.new(kind:, codes: codes.map(&:to_s).freeze, words: pattern, setting:)
      end
      private_class_method :entry
    end
  end
end
