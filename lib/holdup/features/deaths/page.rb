# frozen_string_literal: true

module Holdup
  module Deaths
    # Processes that died in the span, and all that is known of the latest ones.
    class Page < View::PageBase
      # Deaths of which everything is on the page.
      MOST_WHOLE = 10

      def blocks
        report = Report.new(deaths, **span, words: @words, limit: query.limit)
        whole = deaths.last(MOST_WHOLE).reverse
        [*report.blocks, *whole.map { |autopsy| DeathDetails.new(autopsy, words: @words).fold }]
      end

      def asks = []

      private

      def span = {from_s: query.from_s, to_s: query.until_s}

      def deaths = @deaths ||= store.deaths(*span.values)

      def refuse_unmatched
      end

      def json = Report::Json.new(deaths, **span, words: @words).call
    end
  end
end
