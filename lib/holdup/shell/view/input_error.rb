# frozen_string_literal: true

module Holdup
  module View
    # Wrong input: a value of an option, an address, a form. Its sentences are in the locales.
    #
    #   raise InputError.new(:not_before, :swap_shown, one: "since", other: "until")
    class InputError < UsageError
      # @param key [Symbol] what happened: `error_<key>` in the locales
      # @param fix [Symbol] what to do, likewise
      # @param facts values of both; an Array: any one of these
      def initialize(key, fix = :"#{key}_fix", **facts)
        super(*ErrorText.sentences(key, fix, facts, words: Words.new), key:, fix:, **facts)
      end
    end
  end
end
