# frozen_string_literal: true

module Holdup
  class Web
    module Charts
      # What changed when, as marks in charts and as a table.
      class Changes
        # A mark has little room; the table has all.
        LABEL = 60

        # @param marks [Array<Analysis::SettingChanges::SettingChange>]
        # @param words [View::Words]
        def initialize(marks, words:)
          @marks = marks
          @words = words
        end

        # @return [Array<Chart::Mark>]
        def to_a
          @marks.map { |mark| Chart::Mark.new(at: mark.at_s, label: View::Width.truncate(told(mark), LABEL)) }
        end

        # @return [Blocks::Table, nil] the newest first; nil where nothing changed
        def table
          return if @marks.empty?
          columns = %i[changed_since server changed_what].map { |key| Blocks::Column.new(text: word(key), words: key == :changed_what) }
          rows = @marks.reverse.map { |mark| [Moment.new(at_s: mark.at_s), View::Width.clean(mark.server || word(:not_known)), told(mark)] }
          Blocks::Table.new(title: word(:changed_when), columns:, rows:)
        end

        private

        def word(key) = @words.call(key)

        def told(mark)
          facts = View::Width.clean(mark.differences.join(", "))
          mark.deployed? ? "#{word(:deployed)}: #{facts}" : facts
        end
      end
    end
  end
end
