# frozen_string_literal: true

require_relative "sections/amdahl"
require_relative "sections/averages"
require_relative "sections/causes"
require_relative "sections/connections"
require_relative "sections/distributions"
require_relative "sections/holds"
require_relative "sections/jit"
require_relative "sections/latency"
require_relative "sections/pairs"
require_relative "sections/pool_cpu"
require_relative "sections/pools"
require_relative "sections/processes"
require_relative "sections/queues"
require_relative "sections/settings"
require_relative "sections/slices"
require_relative "sections/splits"
require_relative "sections/states"

module Holdup
  module Reports
    # The order in which a report answers: where the time goes, who caused the stall, how fast, then the details. One
    # list for text and Markdown.
    class Contents
      ORDER = [Sections::Causes, Sections::Pairs, Sections::Splits, Sections::Latency, Sections::Queues, Sections::Averages, Sections::Holds, Sections::Connections,
        Sections::Distributions, Sections::Slices, Sections::Pools, Sections::PoolCpu, Sections::Processes, Sections::Jit, Sections::Amdahl, Sections::Settings].freeze

      # @param summary [Holdup::Analysis::Summary]
      # @param words [Words]
      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      def initialize(summary, words:, limit:, details: false)
        @arguments = [summary, {words:, limit:}]
        @details = details
      end

      # @return [Sections::States] the first section, which has a bar too
      def states = build(Sections::States)

      # @return [Array<Section>] the others
      def sections
        listed = ORDER.filter_map { |section| build(section).call }
        @details ? listed + build(Sections::Slices).details : listed
      end

      private

      def build(section)
        summary, options = @arguments
        section.new(summary, **options)
      end
    end
  end
end
