# frozen_string_literal: true

module Holdup
  module Report
    # One endpoint or job: why it is slow (where its time goes, for whom and what it waits, its slowest); then
    # since when, how its times are distributed, and what it does to others.
    class UnitPage < View::PageBase
      include OverTime

      CHARTS = %w[shares heat_wall rate wall waits].freeze
      # Of each side, the largest.
      PAIRS = 8
      PAIR_COLUMNS = %i[by_name pair_share pair_stall].freeze

      # @raise [UsageError] if the name is missing
      def initialize(...)
        super
        unless query["unit"]
          raise View::InputError.new(:unit_unnamed)
        end
      end

      def blocks
        return nothing if summary.empty?
        [View::Blocks::Lead.new(text: headline.verdict),
          View::Blocks::Notes.new(texts: notes), *why_slow, over_time, changes.table,
          section(Sections::Times::DistributionTable), Distribution.new(summary.total, words: @words).section,
          causes, section(Sections::MethodTable), section(Sections::Times::QuantileBandTable),
          section(Sections::Processes::SettingTable)].compact
      end

      def notes = [*headline.main_wait, *headline.lock_wait, *headline.figures, *memory, *headline.remarks]

      def asks = []

      def title
        name = [query["unit"], query["in"] && "[#{query["in"]}]"].compact.join(" ")
        View::Width.truncate(View::Width.clean(name), View::Html::Helpers::Markup::NAME)
      end

      private

      # What it waits for, and the requests or jobs that waited longest.
      def why_slow
        [split, suffers, section(Sections::CallTable), section(Sections::ConnectionPairTable),
          section(Sections::LockPairTable), section(Sections::TransactionTable), slowest]
      end

      def charted
        known = View::Charts::TimeSeries::HEATS.select { |_, key| time_series.known?(key) }
        methods = time_series.method_stalls.empty? ? [] : [View::Charts::TimeSeries::METHODS]
        CHARTS | known.keys | methods
      end

      def methods_over_time? = true

      # A single series is cheap enough to read every histogram.
      def histograms_over_time
        View::Charts::TimeSeries::HEATS.values
      end

      def filter
        query.filter(name: Analysis::UnitFilter.glob_of(query["unit"]), queue: query["in"])
      end

      def parts(summary)
        return [] if summary.empty?
        tables = [Sections::CallTable, Sections::TransactionTable, Sections::MethodTable,
          Sections::ConnectionPairTable, Sections::LockPairTable]
        [*View::Headline.parts(summary), *tables.flat_map { |kind| kind.parts(summary) }, :pairs]
      end

      def memory
        Sections::MemoryTable.new(summary, words: @words, limit: query.limit).sentence
      end

      def slowest
        read = SlowestUnitsReader.call(store, from_s: query.from_s, to_s: query.until_s, filter:)
        SlowestUnits.new(read, words: @words).section
      end

      # Who stalled it is what the page is asked for, so it says so where nothing recorded that.
      def suffers
        return pairs(:stalled_by, summary.pairs, &:causer) if summary.pairs.any?
        return if summary.total.stalled_ns.zero?
        View::Section.new(title: word(:stalled_by), columns: [], rows: [], notes: [word(:pairs_unrecorded)])
      end

      def causes = pairs(:stalls, summary.caused_pairs, &:victim)

      def pairs(title, found)
        return if found.empty?
        rows = found.first([query.limit, PAIRS].min).map do |pair|
          [other(yield(pair)), View::Figures.share(pair.share), View::Figures.duration(pair.ns)]
        end
        View::Section.new(title: word(title), columns: PAIR_COLUMNS.map { |key| word(key) }, rows:,
          notes: [word(:pairs_note)])
      end

      # @param party [Analysis::StallPairs::Party]
      def other(party)
        return unit_link(party) if party.unit?
        return word(:"party_#{party.kind}") unless party.named?
        View::Width.clean(word(:account, name: party.name.delete_prefix(Series::THREAD)))
      end

      # The distribution of elapsed times: the number of units in each doubling of time.
      class Distribution
        DOUBLING = 1 << Histogram::Buckets::SCALE

        # @param key [Symbol] of Window::HISTOGRAMS
        def initialize(row, words:, key: :wall)
          @histogram = row.histogram(key)
          @words = words
          @key = key
        end

        def section
          columns = [@words.call(:"histogram_#{@key}"), @words.call(:units), "%", ""]
          rows = counts.map { |name, count| [name, View::Figures.count(count), *share(count)] }
          View::Section.new(title: @words.call(:spread), columns:, rows:)
        end

        private

        def share(count)
          share = count.fdiv(@histogram.count)
          meter = View::Blocks::Meter.new(share: count.fdiv(counts.values.max),
            label: View::Figures.share(share))
          [View::Figures.bare_share(share), meter]
        end

        def counts
          @counts ||= @histogram.zero.positive? ? {first => @histogram.zero, **steps} : steps
        end

        # Keeps empty steps between others: a gap is information.
        def steps
          cells = @histogram.counts.each_with_index
          found = cells.group_by { |_, index| (@histogram.offset + index) / DOUBLING }
          return {} if found.empty?
          sums = found.transform_values { |same| same.sum(&:first) }
          Range.new(*sums.keys.minmax).to_h { |step| [name(step), sums.fetch(step, 0)] }
        end

        def first
          "- #{View::Figures.duration(Histogram::Buckets::FLOOR_NS)}"
        end

        def name(step)
          bounds = [step, step + 1].map { |at| Histogram::Buckets::BOUNDS[at * DOUBLING] }
          bounds.map { |ns| View::Figures.duration(ns) }.join(" - ")
        end
      end
    end
  end
end
