# frozen_string_literal: true

require "digest"
require "json"

module Holdup
  module Queries
    # What is asked, of a span that ends now or of any other.
    #
    # - `command`: and what its results are of, in words; or the page of a dashboard
    # - `seconds`: length of the span; nil if the arguments say which span
    # - `arguments`: {Symbol, String => Object} everything else that the result depends on
    Question = Data.define(:command, :seconds, :arguments) do
      # @param arguments [Hash{Symbol => Object}] in any order; nil is as if it were left out
      def initialize(command:, seconds: nil, arguments: {})
        super(command:, seconds:, arguments: arguments.compact.sort.to_h.freeze)
      end

      # @param form [Integer] version of the results' form
      # @return [String] that stores know it by: of this version, since another one may say something else
      def key(form)
        digest = Digest::SHA256.hexdigest([VERSION, form, arguments].to_json)
        "#{command} #{seconds} #{digest[0, 16]}"
      end
    end
  end
end
