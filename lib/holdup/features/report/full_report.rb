# frozen_string_literal: true

module Holdup
  module Report
    # The report of a span of time as a page: the verdict, where the time goes, who caused the stall, how
    # fast, then details.
    class FullReport
      LIMIT = 15
      # Their sections by the names that a reader asks for them with, in order.
      TABLES = {
        blame: Sections::Stalls::BlameTable,
        pairs: Sections::Stalls::StallPairTable,
        states: Sections::Times::StateSplitTable,
        endpoints: Sections::Times::LatencyTable,
        calls: Sections::CallTable,
        transactions: Sections::TransactionTable,
        methods: Sections::MethodTable,
        queues: Sections::Pools::QueueTable,
        means: Sections::Times::AverageTable,
        memory: Sections::MemoryTable,
        holds: Sections::Stalls::HoldTable,
        connections: Sections::Pools::ConnectionTable,
        pool_pairs: Sections::ConnectionPairTable,
        lock_pairs: Sections::LockPairTable,
        slowest: Sections::SlowestTable,
        distribution: Sections::Times::DistributionTable,
        slices: Sections::Times::QuantileBandTable,
        pools: Sections::Pools::PoolTable,
        cpu: Sections::Pools::PoolCpuTable,
        processes: Sections::Processes::ProcessTable,
        jit: JitReport::JitTable,
        amdahl: Sections::Times::AmdahlTable,
        settings: Sections::Processes::SettingTable
      }.freeze

      # What is said in sentences before these tables, where one of them is asked for.
      ANSWERED = %i[memory methods].freeze

      # @param summary [Analysis::Summary] with what was read so far
      # @return [Array<Symbol>] parts of the summary that the page needs
      def self.parts(summary)
        return [] if summary.empty?
        [*View::Headline.parts(summary), *TABLES.values.flat_map { |section| section.parts(summary) }]
      end

      # @param name [Symbol] of TABLES
      # @return [Array<Symbol>] parts of the summary that this table needs
      def self.parts_of_table(name, summary)
        return [] if summary.empty?
        section = TABLES.fetch(name)
        answers = ANSWERED.include?(name) ? section.answer_parts(summary) : []
        section.parts(summary) | answers
      end

      # @param limit [Integer] rows shown of each table
      # @param details [Boolean] also the group means of each row
      # @param remarks [Array<String>] more remarks
      # @param zone [String, nil] UTC offset of the times shown; nil: the system's own
      def initialize(summary, words: View::Words.new, limit: LIMIT, details: false, remarks: [], zone: nil)
        @summary = summary
        @words = words
        @limit = limit
        @details = details
        @headline = View::Headline.new(summary, words:, general_remarks: remarks, zone:)
      end

      # @return [View::Page]
      def page
        shown = @summary.empty? ? nothing : blocks
        View::Page.new(title: @words.call(:title), about: [@headline.span], blocks: shown)
      end

      # @param name [Symbol] of TABLES
      # @return [View::Page] with this table only, and what it says in sentences where its rows are long
      def table(name)
        part = build(TABLES.fetch(name))
        section = part.call unless @summary.empty?
        found = section || View::Blocks::Notes.new(texts: [@words.call(:screen_no_table)])
        answers = View::Blocks::Notes.new(texts: part.sentences) if section && ANSWERED.include?(name)
        View::Page.new(title: @words.call(:title), about: [@headline.span], blocks: [*answers, found])
      end

      # @return [Array<View::Section>] the tables
      def sections
        listed = TABLES.values.filter_map { |section| build(section).call }
        @details ? listed + build(Sections::Times::QuantileBandTable).details : listed
      end

      private

      def nothing
        [lead, View::Blocks::Notes.new(texts: @headline.general_remarks, warning: true)]
      end

      def blocks
        [lead, View::Blocks::Notes.new(texts: @headline.figures),
          View::Blocks::Notes.new(texts: @headline.remarks, warning: true),
          View::Blocks::Split.of(@summary.total, @words), *sections]
      end

      def lead = View::Blocks::Lead.new(text: @headline.verdict)

      def build(section)
        section.new(@summary, words: @words, limit: @limit)
      end
    end
  end
end
