# frozen_string_literal: true

require "tilt"
require "tilt/erubi"

module Holdup
  module View
    class Html
      # Templates by name; they render others by the same verb.
      class Templates
        SHARED = File.join(__dir__, "views")

        # @param dir [String] where they are looked for first; the dashboard has some of its own
        def initialize(dir = SHARED)
          @dirs = [dir, SHARED]
          @templates = {}
        end

        # @param name [String] "blocks/table"
        # @param locals [Hash{Symbol => Object}]
        # @return [String]
        def render(name, locals: {})
          (@templates[name] ||= load(name)).render(self, locals)
        end

        private

        def load(name)
          path = @dirs.map { |dir| File.join(dir, "#{name}.erb") }.find { |file| File.file?(file) }
          Tilt::ErubiTemplate.new(path, escape: true, default_encoding: "UTF-8")
        end
      end
    end
  end
end
