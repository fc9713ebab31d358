# frozen_string_literal: true

module Holdup
  module View
    # The report of a span of time as a page: the verdict, where the time goes, who caused the stall, how
    # fast, then details.
    class Report
      LIMIT = 15
      ORDER = [Sections::Stalls::BlameTable, Sections::Stalls::StallPairTable,
        Sections::Times::StateSplitTable, Sections::Times::LatencyTable, Sections::CallTable,
        Sections::Pools::QueueTable, Sections::Times::AverageTable, Sections::Stalls::HoldTable,
        Sections::Pools::ConnectionTable, Sections::Times::DistributionTable,
        Sections::Times::QuantileBandTable, Sections::Pools::PoolTable, Sections::Pools::PoolCpuTable,
        Sections::Processes::ProcessTable, Sections::JitTable,
        Sections::Times::AmdahlTable, Sections::Processes::SettingTable].freeze

      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      # @param remarks [Array<String>] more remarks
      # @param zone [String, nil] UTC offset of the times shown; nil: the system's own
      def initialize(summary, words: Words.new, limit: LIMIT, details: false, remarks: [], zone: nil)
        @summary = summary
        @words = words
        @limit = limit
        @details = details
        @headline = Headline.new(summary, words:, general_remarks: remarks, zone:)
      end

      # @return [Page]
      def page
        shown = @summary.empty? ? nothing : blocks
        Page.new(title: @words.call(:title), about: [@headline.span], blocks: shown)
      end

      # @return [Array<Section>] the tables
      def sections
        listed = ORDER.filter_map { |section| build(section).call }
        @details ? listed + build(Sections::Times::QuantileBandTable).details : listed
      end

      private

      def nothing
        [lead, Blocks::Notes.new(texts: @headline.general_remarks, warning: true)]
      end

      def blocks
        [lead, Blocks::Notes.new(texts: @headline.figures),
          Blocks::Notes.new(texts: @headline.remarks, warning: true),
          Blocks::Split.of(@summary.total, @words), *sections]
      end

      def lead = Blocks::Lead.new(text: @headline.verdict)

      def build(section)
        section.new(@summary, words: @words, limit: @limit)
      end
    end
  end
end
