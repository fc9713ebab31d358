# frozen_string_literal: true

require_relative "sections/amdahl_table"
require_relative "sections/average_table"
require_relative "sections/blame_table"
require_relative "sections/connection_table"
require_relative "sections/distribution_table"
require_relative "sections/hold_table"
require_relative "sections/jit_table"
require_relative "sections/latency_table"
require_relative "sections/stall_pair_table"
require_relative "sections/pool_cpu_table"
require_relative "sections/pool_table"
require_relative "sections/process_table"
require_relative "sections/queue_table"
require_relative "sections/setting_table"
require_relative "sections/quantile_band_table"
require_relative "sections/state_split_table"
require_relative "sections/state_table"

module Holdup
  module View
    # The order in which a report answers: where the time goes, who caused the stall, how fast, then the details. One
    # list for text and Markdown.
    class Contents
      ORDER = [Sections::BlameTable, Sections::StallPairTable, Sections::StateSplitTable, Sections::LatencyTable, Sections::QueueTable, Sections::AverageTable, Sections::HoldTable, Sections::ConnectionTable,
        Sections::DistributionTable, Sections::QuantileBandTable, Sections::PoolTable, Sections::PoolCpuTable, Sections::ProcessTable, Sections::JitTable, Sections::AmdahlTable, Sections::SettingTable].freeze

      # @param summary [Holdup::Analysis::Summary]
      # @param words [Words]
      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      def initialize(summary, words:, limit:, details: false)
        @arguments = [summary, {words:, limit:}]
        @details = details
      end

      # @return [Sections::StateTable] the first section, which has a bar too
      def states = build(Sections::StateTable)

      # @return [Array<Section>] the others
      def sections
        listed = ORDER.filter_map { |section| build(section).call }
        @details ? listed + build(Sections::QuantileBandTable).details : listed
      end

      private

      def build(section)
        summary, options = @arguments
        section.new(summary, **options)
      end
    end
  end
end
