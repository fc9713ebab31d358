# frozen_string_literal: true

require "json"

module Holdup
  class Web
    class Captures
      # The viewer's place in a page; `unit`: number of the one to follow, or nil; `words`: what it says, by
      # their names in assets/src/timeline.
      ViewerPage = Data.define(:id, :unit, :words) do
        # @param words [View::Words]
        # @return [String] JSON
        def self.told(words)
          JSON.generate(ViewerPage::SAID.to_h { |key| [key, words.call(:"viewer_#{key}")] })
        end

        def view = "capture"
      end

      ViewerPage::SAID = %i[period holder nobody running stalled preempted io lock sleep idle unknown absent
        handoff].freeze
    end
  end
end
