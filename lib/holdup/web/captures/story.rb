# frozen_string_literal: true

module Holdup
  class Web
    class Captures
      # What one unit went through. `rows`: since when, for how long, what, as View::TimelineStory has
      # them
      Story = Data.define(:title, :columns, :rows, :notes) do
        def view = "story"

        # @return [View::Section]
        def plain
          View::Section.new(title:, columns:, rows:, notes:)
        end
      end
    end
  end
end
