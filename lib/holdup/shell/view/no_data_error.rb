# frozen_string_literal: true

module Holdup
  module View
    # A question that is right and has no answer, because too little was recorded. Its sentences are in the
    # locales, as those of InputError.
    class NoDataError < Error
      # @param key [Symbol] what happened: `error_<key>` in the locales
      # @param fix [Symbol] what to do, likewise
      # @param facts values of both; an Array: any one of these
      def initialize(key, fix = :"#{key}_fix", **facts)
        super(*ErrorText.sentences(key, fix, facts, words: Words.new), key:, fix:, **facts)
      end
    end
  end
end
