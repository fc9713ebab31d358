# frozen_string_literal: true

module Holdup
  # Converts text of the system (arguments, environment, paths, messages) to UTF-8. With LANG=C Ruby reads it
  # as ASCII or bytes, and can't compare or join it with other text.
  module Utf8
    UNKNOWN = [Encoding::US_ASCII, Encoding::BINARY].freeze
    private_constant :UNKNOWN

    module_function

    def of(text)
      UNKNOWN.include?(text.encoding) ? text.dup.force_encoding(Encoding::UTF_8) : text
    end

    # @return [String] valid UTF-8, with "?" for invalid bytes
    def valid(text)
      text.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")
    end
  end
end
