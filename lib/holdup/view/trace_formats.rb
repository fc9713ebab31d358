# frozen_string_literal: true

require "json"

module Holdup
  module View
    # A capture in the formats of other viewers, and in Holdup's own JSON.
    module TraceFormats
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
