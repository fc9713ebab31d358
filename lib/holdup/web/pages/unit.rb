# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # One endpoint or job: where its time goes, whom it meets at the GVL, how its times are spread.
      class Unit < Base
        include SummaryJson
        include TimeSeriesBlocks
        include SplitBlock

        # @raise [UsageError] without the name of one
        def initialize(...)
          super
          unless query["unit"]
            raise UsageError.new("this page is about one endpoint or job", "choose it in a table")
          end
        end

        # @return [Array<Object>]
        def blocks
          return nothing if summary.empty?
          [Blocks::Lead.new(text: headline.verdict), Blocks::Notes.new(texts: headline.figures + headline.remarks), split, table(View::Sections::DistributionTable), over_time, changes.table,
            Distribution.new(summary.total, words: @words).block, suffers, causes, slowest, table(View::Sections::QuantileBandTable), table(View::Sections::SettingTable)].compact
        end

        def asks = []

        def title
          View::Width.truncate(
            View::Width.clean([query["unit"], query["in"] && "[#{query["in"]}]"].compact.join(" ")), TemplateHelpers::NAME
          )
        end

        private

        def charted
          %w[shares heat_wall rate wall
            waits] | Charts::TimeSeriesCharts::HEATS.select { |_, key| course.known?(key) }.keys
        end

        # Of one series there is time for all of them.
        def histograms_over_time
          Charts::TimeSeriesCharts::HEATS.values
        end

        def filter
          query.filter(name: PageQuery.literal(query["unit"]), queue: query["in"])
        end

        def summary = @summary ||= read(filter:)

        # All others too: only together do they tell whom this one stalled.
        def everyone
          @everyone ||= read(filter: Analysis::UnitFilter.new(threads: query.threads))
        end

        def slowest
          SlowestUnits.new(store, from_s: query.from_s, to_s: query.until_s, filter:, words: @words).block
        end

        def suffers = pairs(:stalled_by, summary.pairs, &:causer)

        def causes = pairs(:stalls, everyone.pairs.select { |pair| filter.series?(pair.causer) }, &:victim)

        def pairs(title, found)
          return if found.empty?
          known = found.select(&:informative?)
          title = word(title)
          if known.empty?
            return Blocks::Table.new(title:, columns: [], rows: [], notes: [word(:pairs_unknown)])
          end
          rows = known.map { |pair| [other(yield(pair)), *shares(pair), View::Figures.duration(pair.about_ns)] }
          columns = %i[by_name pair_about pair_least pair_most pair_stall].map { |key| Blocks::Column.new(text: word(key)) }
          Blocks::Table.new(title:, columns:, rows:,
            notes: [word(:pairs_note), *left_out(found.size - known.size)])
        end

        def left_out(count)
          count.positive? ? [word(:pairs_left_out, count: View::Figures.count(count))] : []
        end

        def other(series)
          series.unit? ? unit_link(series) : View::Width.clean(word(:account,
            name: series.name.delete_prefix("thread:")))
        end

        def shares(pair)
          [pair.share, pair.least_share, pair.most_share].map { |share| View::Figures.share(share) }
        end
      end
    end
  end
end
