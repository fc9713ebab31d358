# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Who caused stall and who suffered it, with totals that add up, and who keeps the database's
      # connections.
      class Blame < Base
        include SummaryJson

        SECTIONS = [View::Sections::BlameTable, View::Sections::StallPairTable,
          View::Sections::StallMatrix, View::Sections::StallOriginTable, View::Sections::HoldTable, View::Sections::ConnectionTable].freeze

        # @return [Array<Object>]
        def blocks
          summary.empty? ? nothing : [Blocks::Lead.new(text: headline.verdict),
            *SECTIONS.filter_map { |section| table(section) }]
        end
      end
    end
  end
end
