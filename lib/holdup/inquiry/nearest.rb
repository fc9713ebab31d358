# frozen_string_literal: true

require "did_you_mean"

module Holdup
  module Inquiry
    # What a person who mistyped probably meant.
    module Nearest
      # @param word [String]
      # @param known [Array<String>]
      # @return [String, nil] "did you mean report?"
      def self.hint(word, known)
        found = DidYouMean::SpellChecker.new(dictionary: known).correct(word[0, 50])
        found.empty? ? nil : "did you mean #{found.first(3).join(" or ")}?"
      end
    end
  end
end
