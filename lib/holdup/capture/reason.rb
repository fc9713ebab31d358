# frozen_string_literal: true

require "json"
require_relative "layout"

module Holdup
  module Capture
    # Why there is a capture, as flat JSON in its first page: so that a list of captures needs no more of each
    # than that.
    module Reason
      TYPES = [String, Integer, Float, TrueClass, FalseClass].freeze

      module_function

      # @param bytes [String] of the file, or its start
      # @return [Hash{String => Object}] empty where there are none, or what is there makes no sense
      def of(bytes)
        length = bytes.unpack1("L<", offset: Layout::FACTS)
        return {} unless length.between?(2, Layout::FACTS_BYTES)
        text = bytes.byteslice(Layout::FACTS + 4, length).force_encoding(Encoding::UTF_8)
        facts = text.valid_encoding? && JSON.parse(text)
        facts.is_a?(Hash) ? facts.select { |_, value| TYPES.include?(value.class) } : {}
      rescue JSON::ParserError
        {}
      end

      # @param bytes [String] of a capture; changed in place, because there are megabytes of it
      # @param more [Hash{String => Object}] added, unless there is no room
      # @return [String] the same
      def add(bytes, more)
        text = JSON.generate(of(bytes).merge(more))
        return bytes if text.bytesize > Layout::FACTS_BYTES
        bytes.bytesplice(Layout::FACTS, 4 + text.bytesize, [text.bytesize].pack("L<") + text.b)
        bytes
      end
    end
  end
end
