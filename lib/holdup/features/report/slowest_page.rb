# frozen_string_literal: true

module Holdup
  module Report
    # Requests and jobs of a short span one by one, the slowest first: what a point of a chart leads to.
    class SlowestPage < View::PageBase
      include HostCaptures

      # Rows, unless more are asked for: to say why one was slow, its minute is read.
      MOST = 20

      def blocks
        most = query["limit"] ? query.limit : MOST
        read = SlowestUnitsReader.call(store, from_s: query.from_s, to_s: query.until_s, filter:, most:)
        [SlowestUnits.new(read, words: @words, captures:, named: true, rows: most).section]
      end

      def exports = %w[csv md]

      private

      # As the page of an endpoint, whose charts lead here.
      def filter
        return query.filter unless query["unit"]
        query.filter(name: Analysis::UnitFilter.glob_of(query["unit"]), queue: query["in"])
      end
    end
  end
end
