# frozen_string_literal: true

require_relative "../../reports/sections/causes"
require_relative "../../reports/sections/connections"
require_relative "../../reports/sections/holds"
require_relative "../../reports/sections/makings"
require_relative "../../reports/sections/matrix"
require_relative "../../reports/sections/pairs"
require_relative "base"
require_relative "reported"

module Holdup
  class Web
    module Pages
      # Who caused stall and who suffered it, with totals that add up, and who keeps the database's connections.
      class Blame < Base
        include Reported

        SECTIONS = [Reports::Sections::Causes, Reports::Sections::Pairs, Reports::Sections::Matrix, Reports::Sections::Makings, Reports::Sections::Holds, Reports::Sections::Connections].freeze

        # @return [Array<Object>]
        def blocks = summary.empty? ? nothing : [Blocks::Lead.new(text: headline.verdict), *SECTIONS.filter_map { |section| table(section) }]
      end
    end
  end
end
