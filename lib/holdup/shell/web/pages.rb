# frozen_string_literal: true

module Holdup
  class Web
    # The pages of all features, by their name in the address.
    module Pages
      ALL = Features.pages.freeze
      # What is shown without a name.
      START = ALL.keys.first
      # The entries of the menu.
      SECTIONS = %i[overview requests jobs captures capacity changes health].freeze
      # The pages of each entry that it links to, those of the menu first.
      MENU = ALL.values.map(&:entry).select(&:listed).group_by(&:section).slice(*SECTIONS)
        .transform_values { |pages| pages.map(&:name) }.freeze
      LISTED = MENU.values.flatten.freeze
      # Names of pages by those that they had once.
      FORMER = ALL.values.flat_map { |page| page.entry.former.map { |name| [name, page.name] } }.to_h.freeze

      # @param name [String]
      # @return [Class, nil]
      def self.[](name) = ALL[name]&.load

      # @param name [String, nil] of a page
      # @return [Symbol, nil] the entry of the menu that it belongs to
      def self.section_of(name) = ALL[name]&.entry&.section

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

        # Links to pages; `title`: nil if none is needed; `missing`: why others are not there
        Links = Data.define(:title, :links, :missing) do
          def initialize(title:, links:, missing: []) = super

          def view = "links"
        end
      end
    end
  end
end
