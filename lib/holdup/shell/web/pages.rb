# frozen_string_literal: true

module Holdup
  class Web
    # The pages of all features, by their name in the address.
    module Pages
      LISTED = Features.pages.freeze
      # What is shown without a name.
      START = LISTED.keys.first
      # Those that every page links to.
      MENU = LISTED.select { |_, listed| listed.entry.menu }.keys.freeze

      # @param name [String]
      # @return [Class, nil]
      def self.[](name) = LISTED[name]&.load

      # Blocks that only the dashboard has, because they need a server. Each has a template of its name.
      module Controls
        # `fields`: Array of Field; `page`: its target
        Form = Data.define(:title, :page, :fields, :button) do
          def view = "form"
        end

        # `options`: {value => text} to choose from; nil: free text. `slider`: Slider, nil for none
        Field = Data.define(:name, :label, :value, :hint, :options, :slider) do
          def initialize(name:, label:, value: nil, hint: nil, options: nil, slider: nil)
            super
          end
        end

        # `range` of numbers before `unit`; moving a slider of one `group` overrides the other groups.
        Slider = Data.define(:range, :unit, :group)

        # Shown while a page is computed. `share`: fraction done, nil if unknown; `again_s`: when to ask again
        WaitNotice = Data.define(:lead, :step, :times, :share, :again_s) do
          def view = "wait"
        end

        # Links to pages; `title`: nil if none is needed
        Links = Data.define(:title, :links) do
          def view = "links"
        end
      end
    end
  end
end
