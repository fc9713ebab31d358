# frozen_string_literal: true

require "json"

module Holdup
  module View
    # A capture in the formats of other viewers, and in Holdup's own JSON.
    module TraceFormats
      # The subset of Protocol Buffers that a trace needs: number fields, and fields with a length.
      module Protobuf
        module_function

        # @param number [Integer] not negative
        # @return [String] seven bits per byte, lowest first
        def varint(number)
          return number.chr if number < 128
          bytes = (number & 127 | 128).chr
          bytes << (number & 127 | 128) while (number >>= 7) > 127
          bytes << number
        end

        # @param field [Integer] its number in the message, in all methods
        def number(field, value)
          varint(field << 3) << varint(value)
        end

        # @param value [String] a message
        def bytes(field, value)
          varint(field << 3 | 2) << varint(value.bytesize) << value
        end

        def text(field, value) = bytes(field, value.b)

        # @return [String] always eight bytes
        def fixed(field, value)
          varint(field << 3 | 1) << [value].pack("Q<")
        end
      end

      # After Protobuf, which Perfetto needs when it is loaded.
      FORMATS = {firefox: Firefox, perfetto: Perfetto, speedscope: Speedscope, json: TraceJson}.freeze
      # Binary formats, with the ending of their files.
      BINARY = {perfetto: "pftrace"}.freeze

      # @param format [Symbol] a key of FORMATS
      # @return [String] a JSON document of one line, or bytes
      # @raise [KeyError]
      def self.call(scene, format)
        document = FORMATS.fetch(format).new(Picture.new(scene)).call
        BINARY.key?(format) ? document : JSON.generate(document)
      end
    end
  end
end
