# frozen_string_literal: true

module Holdup
  module Report
    # Who caused stall and who suffered it, with totals that add up, and who keeps the database's
    # connections.
    class BlamePage < View::PageBase
      include PairMatrix

      SECTIONS = [Sections::Stalls::BlameTable, Sections::Stalls::StallPairTable,
        Sections::Stalls::StallMatrix, Sections::Stalls::StallOriginTable, Sections::Stalls::HoldTable,
        Sections::Pools::ConnectionTable, Sections::ConnectionPairTable].freeze

      def blocks
        return nothing if summary.empty?
        [View::Blocks::Lead.new(text: headline.verdict), *SECTIONS.filter_map { |kind| table(kind) }]
      end

      private

      # As many rows as the list of requests: with 200 endpoints, a phone would have twenty screens.
      def table(kind)
        limit = query["limit"] ? query.limit : UnitPages::UnitsPage::STRONGEST
        (kind == Sections::Stalls::StallMatrix) ? matrix(limit:) : section(kind, limit:)
      end

      def parts(summary)
        return [] if summary.empty?
        [*Analysis::StallVerdict.parts(summary), *SECTIONS.flat_map { |kind| kind.parts(summary) }]
      end
    end
  end
end
