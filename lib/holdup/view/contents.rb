# frozen_string_literal: true

module Holdup
  module View
    # The order of a report: where the time goes, who caused the stall, how fast, then details. One list for
    # text and Markdown.
    class Contents
      ORDER = [Sections::Stalls::BlameTable, Sections::Stalls::StallPairTable,
        Sections::Times::StateSplitTable, Sections::Times::LatencyTable, Sections::Pools::QueueTable,
        Sections::Times::AverageTable, Sections::Stalls::HoldTable, Sections::Pools::ConnectionTable,
        Sections::Times::DistributionTable, Sections::Times::QuantileBandTable, Sections::Pools::PoolTable,
        Sections::Pools::PoolCpuTable, Sections::Processes::ProcessTable, Sections::JitTable,
        Sections::Times::AmdahlTable, Sections::Processes::SettingTable].freeze

      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      def initialize(summary, words:, limit:, details: false)
        @arguments = [summary, {words:, limit:}]
        @details = details
      end

      # @return [Sections::Times::StateTable] the first section, which also has a bar
      def states = build(Sections::Times::StateTable)

      # @return [Array<Section>] the others
      def sections
        listed = ORDER.filter_map { |section| build(section).call }
        @details ? listed + build(Sections::Times::QuantileBandTable).details : listed
      end

      private

      def build(section)
        summary, options = @arguments
        section.new(summary, **options)
      end
    end
  end
end
