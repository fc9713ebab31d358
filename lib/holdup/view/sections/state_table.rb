# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Where the time of all units went, each state with its share and what it means.
      class StateTable < SectionBase
        # @return [Section]
        def call
          Section.new(title: word(:states), columns: [word(:state), word(:per_unit), word(:share), word(:sum), ""],
            rows: split.members.map { |state| row(state) })
        end

        # @return [String] the bar over the table
        def bar(columns) = Bar.draw(split, columns)

        private

        def split = @split ||= summary.total.split

        def row(state)
          value = split.public_send(state)
          ["#{Bar::SYMBOLS[state]} #{word(:"state_#{state}")}", each_unit(summary.total, value),
            Figures.share(split.share(state)), duration(value), meaning(state)]
        end

        # Padded to one length, so that a right-aligned column of sentences starts in one place.
        def meaning(state)
          meanings = split.members.to_h { |each| [each, word(:"meaning_#{each}")] }
          " #{Width.left(meanings[state], meanings.values.map { |text| Width.of(text) }.max)}"
        end
      end
    end
  end
end
