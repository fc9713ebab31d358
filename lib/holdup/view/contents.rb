# frozen_string_literal: true

module Holdup
  module View
    # The order in which a report answers: where the time goes, who caused the stall, how fast, then the
    # details. One list for text and Markdown.
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
