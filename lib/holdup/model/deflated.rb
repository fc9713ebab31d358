# frozen_string_literal: true

require "zlib"

module Holdup
  # What a store keeps in few bytes.
  module Deflated
    module_function

    # Zlib.inflate warns about truncated bytes, and raises too.
    # @param bytes [String]
    # @return [String] binary
    # @raise [Zlib::Error] they are damaged
    def inflate(bytes)
      stream = Zlib::Inflate.new
      stream.inflate(bytes).tap { stream.finish }
    ensure
      stream.reset
      stream.close
    end
  end
end
