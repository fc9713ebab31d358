# frozen_string_literal: true

module Holdup
  class Web
    # Blocks that only a page of the dashboard has, because somebody must answer what they ask for. Each has a
    # template of its name.
    module Controls
      # `fields`: Array of Field; `page`: where it goes
      Form = Data.define(:title, :page, :fields, :button) do
        def view = "form"
      end

      # `options`: {value => text} to choose from; nil: anything can be written. `slider`: Slider, nil for
      # none
      Field = Data.define(:name, :label, :value, :hint, :options, :slider) do
        def initialize(name:, label:, value: nil, hint: nil, options: nil, slider: nil)
          super
        end
      end

      # `range` of numbers before `unit`; moving one of a `group` takes the place of the other groups.
      Slider = Data.define(:range, :unit, :group)

      # What is said while a page is computed. `share`: of it that is done, nil when unknown; `again_s`: when
      # to ask again
      Wait = Data.define(:lead, :step, :times, :share, :again_s) do
        def view = "wait"
      end

      # Links to pages; `title` nil where none is needed
      Links = Data.define(:title, :links) do
        def view = "links"
      end
    end
  end
end
