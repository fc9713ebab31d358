# frozen_string_literal: true

module Holdup
  module Compare
    # Marks charts over time where a deploy or another setting began.
    module MarksReader
      # A mark has little room; the table of changes has the full text.
      LABEL = 60

      module_function

      # @param store [#setting_starts]
      # @return [Array<View::Chart::Mark>] by time, which lead to a comparison around them
      def call(store, from_s:, to_s:, words:)
        changes = Queries::SettingHistory.changes(store, from_s:, to_s:)
        texts = View::Charts::TimeSeries::Changes.new(changes, words:).texts
        changes.zip(texts).map do |change, text|
          label = View::Width.truncate(text, LABEL)
          View::Chart::Mark.new(at: change.at_s, label:, page: "compare", around: true)
        end
      end
    end
  end
end
