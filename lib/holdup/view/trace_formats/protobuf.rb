# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # Protocol Buffers as bytes, as much of them as a trace takes: fields that are a number, and fields that
      # have a length.
      module Protobuf
        module_function

        # @param number [Integer] not negative
        # @return [String] seven bits a byte, the lowest first
        def varint(number)
          return number.chr if number < 128
          bytes = (number & 127 | 128).chr
          bytes << (number & 127 | 128) while (number >>= 7) > 127
          bytes << number
        end

        # @param field [Integer] its number in the message
        # @return [String]
        def number(field, value)
          varint(field << 3) << varint(value)
        end

        # @param field [Integer]
        # @param value [String] a message
        # @return [String]
        def bytes(field, value)
          varint(field << 3 | 2) << varint(value.bytesize) << value
        end

        # @param field [Integer]
        # @param value [String]
        # @return [String]
        def text(field, value) = bytes(field, value.b)

        # @param field [Integer]
        # @return [String] always of eight bytes
        def fixed(field, value)
          varint(field << 3 | 1) << [value].pack("Q<")
        end
      end
    end
  end
end
