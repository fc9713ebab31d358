# frozen_string_literal: true

require "tilt"
require "tilt/erubi"

module Holdup
  class Web
    module Static
      # The dashboard's templates without its server. They render others by the same verb as there.
      class Templates
        DIR = File.expand_path("../views", __dir__)

        def initialize
          @known = Hash.new { |known, name| known[name] = Tilt::ErubiTemplate.new(File.join(DIR, "#{name}.erb"), escape: true, default_encoding: "UTF-8") }
        end

        # @param name [String] "blocks/table"
        # @param locals [Hash{Symbol => Object}]
        # @return [String]
        def render(name, locals: {})
          @known[name].render(self, locals)
        end
      end
    end
  end
end
