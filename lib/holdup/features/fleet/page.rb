# frozen_string_literal: true

module Holdup
  module Fleet
    # All hosts, what runs on them, and how they differ.
    class Page < View::PageBase
      include OverTime

      def blocks
        return [view.blocks.first, *last_data, missing] if fleet.empty?
        lead, *rest = view.blocks
        [lead, *rest, over_time, *view.changed].compact
      end

      def live? = query.live?

      def asks = []

      private

      def filter = Analysis::UnitFilter.new

      def fleet
        @fleet ||= Reader.call(store, from_s: query.from_s, to_s: query.until_s)
      end

      def view
        @view ||= Report.new(fleet, changes: marks, words: @words, limit: query.limit,
          link: method(:host_link))
      end

      def host_link(host)
        return View::Width.clean(host) if host.size > LONGEST_NAME
        View::Blocks::Link.new(text: View::Width.clean(host), page: "overview", params: {"host" => host})
      end

      def refuse_unmatched
      end

      def json = Report::Json.new(fleet, changes: marks).call
    end
  end
end
