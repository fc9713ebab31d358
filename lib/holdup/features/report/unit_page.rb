# frozen_string_literal: true

module Holdup
  module Report
    # One endpoint or job. Its first screen says why it is slow: its average request and a slow one, for whom
    # it waits, its calls, and its slowest requests with their causes. The rest is folded.
    class UnitPage < View::PageBase
      include OverTime
      include HostCaptures

      CHARTS = %w[shares heat_wall rate wall waits].freeze
      # Of each side, the largest.
      PAIRS = 8
      # Single requests that are read: those between the 93rd and the 97th percentile are not the slowest ten.
      SLOW_UNITS = 100
      PAIR_COLUMNS = %i[by_name pair_share pair_stall].freeze

      # @raise [UsageError] if the name is missing
      def initialize(...)
        super
        unless query["unit"]
          raise View::InputError.new(:unit_unnamed)
        end
      end

      # Of each side on the first screen.
      FIRST_PAIRS = 4

      def blocks
        return nothing if summary.empty?
        [View::Blocks::Lead.new(text: headline.verdict),
          View::Blocks::Beside.new(main: [View::Blocks::Notes.new(texts: notes), bars].compact, side:),
          slowest, next_capture, fold].compact
      end

      def notes
        waits = [*headline.main_wait, *headline.lock_wait]
        [why, headline.figures.first, *waits, *headline.remarks.first].compact
      end

      def asks = []

      def title
        name = [query["unit"], query["in"] && "[#{query["in"]}]"].compact.join(" ")
        View::Width.truncate(View::Width.clean(name), View::Html::Helpers::Markup::NAME)
      end

      private

      def side = [suffers(FIRST_PAIRS), section(Sections::BriefCallTable)].compact

      # Each once: what the first screen has in short, and what it does not have.
      def fold
        more = View::Blocks::Notes.new(texts: [headline.figures.last, *memory, *headline.remarks.drop(1)])
        inner = [more, split, (suffers(PAIRS) if summary.pairs.size > FIRST_PAIRS),
          section(Sections::CallTable), section(Sections::ConnectionPairTable),
          section(Sections::LockPairTable), section(Sections::TransactionTable), over_time, changes.table,
          section(Sections::Times::DistributionTable), Distribution.new(summary.total, words: @words).section,
          causes, section(Sections::MethodTable), section(Sections::Times::QuantileBandTable),
          section(Sections::Processes::SettingTable)]
        View::Blocks::Fold.new(title: word(:unit_more), inner: inner.compact)
      end

      # In a few words with a number, where one reason stands out.
      def why
        row = summary.rows.first if summary.rows.one?
        row && word(:unit_why, why: DiagnosisSentence.new(summary, words: @words).call(row).to_s)
      end

      def bars
        row = summary.total
        slow = AverageAndSlow.slow(row.histogram(:wall), slow_units:, unit_samples:)
        means = {word(:unit_average, each: each(AverageAndSlow.average(row))) => AverageAndSlow.average(row)}
        means[word(:unit_slow, each: each(slow), count: View::Figures.count(slow.count))] = slow if slow
        AverageAndSlow.new(means, words: @words, notes: slow ? [] : [word(:unit_no_slow)]).block
      end

      def each(mean) = View::Figures.duration(mean.wall_ns)

      def slow_units
        Queries::SlowestUnitsQuery.units(store, from_s: query.from_s, to_s: query.until_s, filter:,
          most: SLOW_UNITS)
      end

      def unit_samples
        found = Queries::RecordedInterval::UnitSampleQuery.call(store, query.from_s, query.until_s,
          blocks: SlowestUnitsReader::PERIODS.first)
        found.select { |unit| filter.series?(unit.series) && filter.setting?(unit.setting) }
      end

      # The like of the slow ones.
      def next_capture
        wall_ns = summary.total.histogram(:wall).quantile(0.95) or return
        CapturedUnit.command(wall_ns:, stalled_ns: summary.total.histogram(:stalled).quantile(0.95).to_i,
          words: @words)
      end

      def charted
        known = View::Charts::TimeSeries::HEATS.select { |_, key| time_series.known?(key) }
        methods = time_series.method_stalls.empty? ? [] : [View::Charts::TimeSeries::METHODS]
        CHARTS | known.keys | methods
      end

      def methods_over_time? = true

      def moment_params = {"unit" => query["unit"], "in" => query["in"]}.compact

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
        of_tables = tables.flat_map { |kind| kind.parts(summary) }
        [*View::Headline.parts(summary), *Diagnosis::PARTS, *of_tables, :pairs]
      end

      def memory
        Sections::MemoryTable.new(summary, words: @words, limit: query.limit).sentence
      end

      def slowest
        read = SlowestUnitsReader.call(store, from_s: query.from_s, to_s: query.until_s, filter:)
        SlowestUnits.new(read, words: @words, captures:).section
      end

      # Who stalled it is what the page is asked for, so it says so where nothing recorded that.
      def suffers(most)
        return pairs(:stalled_by, summary.pairs, most, &:causer) if summary.pairs.any?
        return if summary.total.stalled_ns.zero?
        View::Section.new(title: word(:stalled_by), columns: [], rows: [], notes: [word(:pairs_unrecorded)])
      end

      def causes = pairs(:stalls, summary.caused_pairs, PAIRS, &:victim)

      def pairs(title, found, most)
        return if found.empty?
        shown = found.first([query.limit, most].min).map { |pair| [yield(pair), pair] }
        rows = shown.map do |party, pair|
          [other(party), View::Figures.share(pair.share), View::Figures.duration(pair.ns)]
        end
        View::Section.new(title: word(title), columns: PAIR_COLUMNS.map { |key| word(key) }, rows:,
          details: shown.map { |party, _| place(party) }, notes: [word(:pairs_note)])
      end

      # The line in which a holder makes others wait most.
      def place(party)
        return unless party.named?
        View::MainWait.place(summary.holder_place(party), @words)
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
          @words.span(*[0, Histogram::Buckets::FLOOR_NS].map { |ns| View::Figures.duration(ns) })
        end

        def name(step)
          bounds = [step, step + 1].map { |at| Histogram::Buckets::BOUNDS[at * DOUBLING] }
          @words.span(*bounds.map { |ns| View::Figures.duration(ns) })
        end
      end
    end
  end
end
