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

      # @param scene [Scene]
      # @param format [Symbol] a key of FORMATS
      # @return [String] a JSON document of one line
      # @raise [KeyError]
      def self.call(scene, format) = JSON.generate(FORMATS.fetch(format).new(Picture.new(scene)).call)
    end
  end
end
