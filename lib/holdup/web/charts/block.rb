# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # Charts beside each other, and the table with the same figures, which is there for everybody. `names`:
      # {String => String}, of a chart of this page and its title; `twin`: Blocks::Table; `part`:
      # Blocks::SpanLink, nil where they show the whole span
      Block = Data.define(:title, :names, :twin, :part) do
        def initialize(title:, names:, twin:, part: nil)
          super
        end

        def view = "charts"
      end
    end
  end
end
