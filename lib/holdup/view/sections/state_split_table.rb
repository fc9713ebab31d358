# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Where the time of each row went, in per cent of its elapsed time and as a bar.
      class StateSplitTable < SectionBase
        BAR = 12

        # @return [Section]
        def call
          states = Bar::SYMBOLS.keys.map { |state| word(:"state_#{state}") }
          figures_section(:splits, ["", *states]) { |row| cells(row.split) }
        end

        private

        def cells(split)
          [Bar.draw(split, BAR), *split.members.map { |state| Figures.bare_share(split.share(state)) }]
        end
      end
    end
  end
end
