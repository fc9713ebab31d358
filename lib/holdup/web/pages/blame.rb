# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # Who caused stall and who suffered it, with totals that add up, and who keeps the database's
      # connections.
      class Blame < Base
        include SummaryJson

        SECTIONS = [Holdup::View::Sections::BlameTable, Holdup::View::Sections::StallPairTable,
          Holdup::View::Sections::StallMatrix, Holdup::View::Sections::StallOriginTable, Holdup::View::Sections::HoldTable, Holdup::View::Sections::ConnectionTable].freeze

        # @return [Array<Object>]
        def blocks
          summary.empty? ? nothing : [Blocks::Lead.new(text: headline.verdict),
            *SECTIONS.filter_map { |section| table(section) }]
        end
      end
    end
  end
end
