# frozen_string_literal: true

require "did_you_mean"

module Holdup
  module Queries
    # What a person who mistyped probably meant.
    module NearestName
      MOST = 3

      # @param word [String]
      # @param known [Array<String>]
      # @return [Array<String>] of these, what is spelled alike, else what has the word in it
      def self.to(word, known)
        found = DidYouMean::SpellChecker.new(dictionary: known).correct(word[0, 50])
        found = known.select { |one| one.downcase.include?(word.downcase) } if found.empty? && !word.empty?
        found.first(MOST)
      end

      # @param word [String]
      # @param known [Array<String>]
      # @return [String, nil] "did you mean report?"
      def self.hint(word, known)
        found = DidYouMean::SpellChecker.new(dictionary: known).correct(word[0, 50])
        found.empty? ? nil : "did you mean #{found.first(MOST).join(" or ")}?"
      end
    end
  end
end
