# frozen_string_literal: true

module Holdup
  module Deaths
    # Marks charts over time where processes died.
    module MarksReader
      # Deaths within so long share a mark.
      TOGETHER_S = 60

      module_function

      # @param store [#deaths]
      # @return [Array<View::Chart::Mark>] by time, which lead to the page of deaths
      def call(store, from_s:, to_s:, words:)
        groups = store.deaths(from_s, to_s).slice_when { |one, other| other.at_s - one.at_s > TOGETHER_S }
        groups.map do |group|
          View::Chart::Mark.new(at: group.first.at_s, label: label(group, words), page: "deaths")
        end
      end

      def label(group, words)
        reasons = group.map { |autopsy| words.call(:"deaths_short_#{autopsy.reason}") }.uniq
        reasons = words.list(reasons)
        count = View::Figures.count(group.size)
        return words.call(:deaths_mark_all, count:, reasons:) if group.size > 1
        process = DeathSentences.new(group.first, words:).process
        words.call(:deaths_mark, process:, reason: reasons)
      end
      private_class_method :label
    end
  end
end
