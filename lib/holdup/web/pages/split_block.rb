# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Where the time of all chosen units went, for pages that show it.
      module SplitBlock
        # A state with its share of the elapsed time, what it comes to for a unit and in all, and what it
        # means.
        Row = Data.define(:state, :name, :share, :each, :sum, :meaning)

        private

        def split(row = summary.total)
          Blocks::Split.new(title: word(:states), bar: Bars.of(row.split, @words),
            rows: row.split.members.map { |state| split_row(row, state) })
        end

        def split_row(row, state)
          ns = row.split.public_send(state)
          Row.new(state:, name: word(:"state_#{state}"), share: View::Figures.share(row.split.share(state)), each: View::Figures.duration(row.per_unit(ns)),
            sum: View::Figures.duration(ns), meaning: word(:"meaning_#{state}"))
        end
      end
    end
  end
end
