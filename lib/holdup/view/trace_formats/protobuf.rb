# frozen_string_literal: true

module Holdup
  module View
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
    end
  end
end
