# frozen_string_literal: true

require "json"
require_relative "export/firefox"
require_relative "export/json"
require_relative "export/perfetto"
require_relative "export/picture"
require_relative "export/speedscope"

module Holdup
  module Timeline
    # A capture in the formats of other viewers, and in one of our own for whoever computes with it.
    module Export
      FORMATS = {firefox: Firefox, perfetto: Perfetto, speedscope: Speedscope, json: Json}.freeze
      # Those that are bytes and no text, with the ending of their files.
      BINARY = {perfetto: "pftrace"}.freeze

      # @param scene [Scene]
      # @param format [Symbol] a key of FORMATS
      # @return [String] a JSON document of one line, or bytes
      # @raise [KeyError]
      def self.call(scene, format)
        told = FORMATS.fetch(format).new(Picture.new(scene)).call
        BINARY.key?(format) ? told : JSON.generate(told)
      end
    end
  end
end
