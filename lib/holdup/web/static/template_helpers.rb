# frozen_string_literal: true

module Holdup
  class Web
    module Static
      # What templates need to know in a file: addresses are those of its own parts.
      class TemplateHelpers < Web::TemplateHelpers
        # @param words [View::Words]
        # @param parts [Array<Part>]
        # @param title [String]
        def initialize(words:, parts:, title:)
          super(request: nil, words:, query: nil, name: nil, title:)
          @ids = parts.to_h { |part| [[part.page, part.params], part.id] }
        end

        # @return [String] "#blame"
        def url(page, params = {}, **)
          "##{@ids.fetch([page, params])}"
        end
      end
    end
  end
end
