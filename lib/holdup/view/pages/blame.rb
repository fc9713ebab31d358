# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # Who caused stall and who suffered it, with totals that add up, and who keeps the database's
      # connections.
      class Blame < Base
        SECTIONS = [Sections::BlameTable, Sections::StallPairTable, Sections::StallMatrix,
          Sections::StallOriginTable, Sections::HoldTable, Sections::ConnectionTable].freeze

        # @return [Array<Object>]
        def blocks
          return nothing if summary.empty?
          [Blocks::Lead.new(text: headline.verdict), *SECTIONS.filter_map { |kind| section(kind) }]
        end
      end
    end
  end
end
