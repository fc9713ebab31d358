# frozen_string_literal: true

module Holdup
  class Web
    module Static
      # What a file is about: to pages the same as Query, from values instead of an address.
      #
      # - `from_s`, `until_s`: seconds since 1970; `chosen`: Analysis::UnitFilter; `limit`: rows of a table
      # - `params`: {String => String} what a page is asked for besides
      Asked = Data.define(:from_s, :until_s, :chosen, :limit, :params) do
        def initialize(from_s:, until_s:, chosen:, limit:, params: {})
          super
        end

        # @return [String, nil]
        def [](name) = params[name]

        def kind = chosen.kind

        def threads = chosen.threads

        def least = 1

        # @return [Boolean] whether it goes on
        def live? = false

        # @param overriding [Hash] what the page says itself
        # @return [Analysis::UnitFilter]
        def filter(**overriding) = chosen.with(**overriding)
      end
    end
  end
end
