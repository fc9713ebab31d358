# frozen_string_literal: true

module Holdup
  module Autopilot
    # Marks charts over time where the autopilot changed threads.
    module MarksReader
      module_function

      # @param store [#audit_entries]
      # @return [Array<View::Chart::Mark>] by time, which lead to the page that has the audit log
      def call(store, from_s:, to_s:, words:)
        ActsReader.call(store, from_s, to_s).map do |act|
          facts = act.first.to_h.slice(:lever, :from, :to)
          label = View::Width.clean(words.call(:autopilot_mark, **facts))
          View::Chart::Mark.new(at: act.first.at_s, label:, page: "experiments")
        end
      end
    end
  end
end
