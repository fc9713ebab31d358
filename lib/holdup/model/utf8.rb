# frozen_string_literal: true

module Holdup
  # Text of the system (arguments, environment, paths, messages) as UTF-8, which is what is stored: where no
  # locale is set (LANG=C) Ruby takes it for ASCII or for bytes, and can't compare or join it with text.
  module Utf8
    UNKNOWN = [Encoding::US_ASCII, Encoding::BINARY].freeze
    private_constant :UNKNOWN

    module_function

    # @return [String] the same bytes
    def of(text)
      UNKNOWN.include?(text.encoding) ? text.dup.force_encoding(Encoding::UTF_8) : text
    end

    # @param text [Object] of any bytes
    # @return [String] valid, "?" for what is not
    def valid(text)
      text.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")
    end
  end
end
