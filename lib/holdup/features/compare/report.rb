# frozen_string_literal: true

module Holdup
  module Compare
    # The content of `holdup compare` before layout: the verdict, the differences, the figures and their
    # causes.
    class Report
      # Facts whose sentence needs more words than their name.
      APART = {"setting" => :compare_by_setting, "arm" => :compare_by_arm}.freeze

      # @param kind [Symbol] of the units
      # @param families [Array<Symbol>, nil] of metrics to show and judge; nil for all
      # @param limit [Integer] endpoints shown
      # @param picked [#fact, nil] the fact that separates the sides, and its number of values; nil: time
      def initialize(comparison, words: View::Words.new, kind: :request, families: nil,
        limit: Sections::LIMIT,
        picked: nil)
        @comparison = comparison
        @words = words
        @kind = kind
        @families = families
        @limit = limit
        @picked = picked
      end

      def page
        View::Page.new(title: @words.call(:compare_title, units:), about: [*sides, *distinction],
          blocks: [View::Blocks::Lead.new(text: sentences.lead), remarks, *sections])
      end

      def sentences
        @sentences ||= Sentences.new(@comparison, words: @words, metrics: judged)
      end

      private

      def remarks
        texts = [sentences.cause, *sentences.remarks, *sentences.limits]
        View::Blocks::Notes.new(texts:, warning: true)
      end

      def sections
        Sections.new(@comparison, words: @words, families: @families, limit: @limit).call
      end

      # The requested metrics, by default the few that matter.
      def judged
        return Comparison::ComparisonVerdict::METRICS unless @families
        metrics = Comparison::Metric::ALL.values
        metrics.select { |metric| @families.include?(metric.family) }.map(&:name)
      end

      def sides
        [@comparison.before, @comparison.after].zip(%i[before after]).map do |side, name|
          @words.call(:compare_side, side: @words.call(:"compare_#{name}"),
            label: View::Width.clean(@words.setting_label(side.label)),
            count: View::Figures.count(side.units), units: @words.units(@kind, side.units))
        end
      end

      # The fact that separates the sides, and the alternatives.
      def distinction
        return [] unless @picked
        others = @picked.count > @picked.sides.size && !@picked.asked?
        most = @words.call(:compare_by_most, units:, count: View::Figures.count(@picked.count)) if others
        found = [*picked_by, *most]
        found.empty? ? [] : [@words.sentences(found)]
      end

      # @return [String, nil] nil for settings where no process has an arm
      def picked_by
        settings = [@comparison.before, @comparison.after].flat_map(&:settings)
        return if @picked.fact == "setting" && settings.none? { |setting| setting["arm"] }
        @words.call(APART.fetch(@picked.fact, :compare_by), fact: View::Width.clean(@picked.fact))
      end

      def units = @words.units(@kind)

      # Formats the figures of a comparison, the same for every layout.
      class Cells
        def initialize(words)
          @words = words
        end

        # @return [String] "queued + stalled p95"
        def name(metric)
          @words.call(:"compare_#{metric.name}")
        end

        # @param change [PairChange]
        # @return [String] for whom the victim waited
        def holder(change)
          name = View::Width.clean(change.holder.delete_prefix(Series::THREAD))
          thread = change.holder.start_with?(Series::THREAD)
          thread ? @words.call(:account, name:) : name
        end

        def value(metric, value)
          case value && metric.unit
          when nil then View::Figures::NONE
          when :ns then View::Figures.duration(value)
          when :share then View::Figures.share(value)
          when :bytes then View::Figures.bytes(value.round)
          else View::Figures.rate(value)
          end
        end

        # @return [String] "-1.20 ms"
        def signed(metric, value)
          return View::Figures::NONE unless value
          "#{sign(value)}#{value(metric, value.abs)}"
        end

        # @return [String] "-12.3 %"
        def change(share)
          share ? "#{percent(share)} %" : View::Figures::NONE
        end

        # @return [String] "-16.1..-8.0 %"
        def interval(estimate, level = estimate.class::LEVEL)
          range = estimate.interval(level) or return View::Figures::NONE
          unless estimate.relative?
            return @words.range(*[range.begin, range.end].map { |bound| signed(estimate.metric, bound) })
          end
          "#{@words.range(percent(range.begin), percent(range.end))} %"
        end

        # @return [String] "better", "WORSE", "same", "too small", or empty if undecided
        def mark(estimate)
          return @words.call(:compare_mark_same) if estimate.same?
          return @words.call(:compare_mark_irrelevant) if estimate.irrelevant?
          found = estimate.verdict
          (found == :better || found == :worse) ? @words.call(:"compare_mark_#{found}") : ""
        end

        # @param values [Array] of a fact
        def fact(values)
          values.map { |value| value.nil? ? View::Figures::NONE : View::Width.clean(value.to_s) }.join(", ")
        end

        # @return [String] "10 min"
        def seconds(seconds) = Queries::OptionValues.length(seconds)

        # @return [String] "10 min - 1 h"
        def age(band)
          from = seconds(band.from_s)
          band.to_s ? @words.span(from, seconds(band.to_s)) : @words.call(:compare_age_from, from:)
        end

        # @param share [Float] of Estimate#visible
        # @return [String] "4.5 %"
        def visible(share)
          (share > 1) ? ">100 %" : View::Figures.share(share)
        end

        private

        # A share of ten and more says only that the data does not bound it.
        def percent(share)
          return ">+999" if share >= 9.995
          View::Figures.change(share, (share.abs >= 0.9995) ? 0 : 1)
        end

        def sign(value)
          return "" if value.zero?
          value.negative? ? "-" : "+"
        end
      end

      # A comparison on one screen: the verdict, what differs between the settings, the main figures, the
      # endpoints that moved most, and the next commands.
      class CompareScreen < Report
        # Figures of the table besides those of the verdict.
        FIGURES = %i[wall_p99 wait_p95 errors stalled_mean wall_mean throughput].freeze
        ENDPOINTS = 3
        # Rows of the settings, and how many of them are always shown.
        FACTS = 6
        FACTS_AT_LEAST = 3
        COMMANDS = %w[report advise].freeze
        SPAN = %w[--since --until].freeze
        # Span of a comparison by settings; other commands look less far back.
        DEFAULT_SINCE = "1d"

        # @param again [Hash{String => Hash{String => String}}] by command of COMMANDS, options that choose
        #   the same data, as they were given
        # @param options [Hash] see Compare
        def initialize(comparison, again: {}, **options)
          super(comparison, **options)
          @again = again
        end

        # How many sentences, commands and rows can be left out to fit a screen.
        def spare = spared.size

        # @param kept [Integer] of those that can be left out
        # @return [View::Page]
        def page(kept = spare)
          @kept = spared.first(kept)
          super().with(blocks: [View::Blocks::Lead.new(text: sentences.lead), notes, *tables, commands])
        end

        private

        def sections = []

        # @return [Array<Array(Symbol, Object)>] what can be left out with its block, the most important first
        def spared
          @spared ||= begin
            first_rows, rows = [FIGURES.first(2), FIGURES.drop(2)].map { |some| marked(:figures, some) }
            facts = Array.new(FACTS - FACTS_AT_LEAST) { [:facts, nil] }
            found = marked(:remarks, [sentences.cause, *sentences.remarks])
            [*found, *marked(:commands, [advise]), *first_rows, *facts, *rows,
              *marked(:remarks, sentences.limits)]
          end
        end

        def marked(block, parts) = parts.map { |part| [block, part] }

        def kept(block)
          @kept.filter_map { |owner, part| part if owner == block }
        end

        def notes
          texts = kept(:remarks).map { |text| View::Width.truncate(text, View::Width::SENTENCE) }
          View::Blocks::Notes.new(texts:, warning: true)
        end

        def tables
          facts = FACTS_AT_LEAST + @kept.count { |owner, _| owner == :facts }
          sections = Sections.new(@comparison, words: @words, families: @families, limit: ENDPOINTS)
          sections.brief(judged | kept(:figures), facts:)
        end

        def commands
          View::Blocks::Commands.new(title: @words.call(:screen_next),
            items: [*first_command, *kept(:commands)],
            notes: [@words.call(:screen_compare_more)])
        end

        # @return [View::Blocks::ShellCommand, nil] about the endpoint that moved most
        def first_command
          moved = @comparison.contributions.first or return
          command(:moved, "report --full", "--name" => View::Blocks::ShellCommand.pattern(moved.series.name))
        end

        def advise = command(:advise, "advise")

        # The time that both sides share, else that of the side after.
        def span(taken)
          return {"--since" => DEFAULT_SINCE, **taken.slice(*SPAN)} if @picked
          after = @comparison.after
          SPAN.zip([after.from_s, after.to_s]).to_h { |option, at_s|
            [option, Time.at(at_s).utc.strftime("%FT%TZ")]
          }
        end

        def command(key, text, own = {})
          taken = @again.fetch(text[/\w+/], {})
          others = taken.except(*SPAN, "--name")
          View::Blocks::ShellCommand.holdup(text, options: {**others, **span(taken), **own},
            purpose: @words.call(:"screen_next_#{key}"))
        end
      end

      # The times of both sides of a comparison overlaid: an unchanged mean can hide that some units became
      # slower and others faster.
      class SideCharts
        # @param sides [Array<Side>] with units
        def initialize(sides, words:)
          @sides = sides
          @words = words
        end

        def call
          charts = Side::TIMES.to_h do |key|
            histograms = @sides.map { |side| side.times.fetch(key) }
            [title(key, histograms), chart(histograms)]
          end
          View::Blocks::InlineCharts.new(charts:)
        end

        private

        def word(key, **facts) = @words.call(key, **facts)

        # What the chart shows, and its p95 on both sides. Whether they differ is for the verdict to say.
        def title(key, histograms)
          shown = word(:"chart_spread_#{key}")
          before, after = histograms.map { |histogram| histogram.quantile(0.95) }
          return shown unless before && after
          from, to = [before, after].map { |ns| View::Figures.duration(ns) }
          return word(:chart_found_steady, title: shown, line: word(:p95), now: from) if from == to
          word(:chart_found_sides, title: shown, line: word(:p95), from:, to:)
        end

        def chart(histograms)
          bands = Analysis::HistogramBands::DurationBands.new(histograms)
          lines = @sides.zip(bands.counts).map do |side, counts|
            View::Chart::Line.new(label: @words.setting_label(side.label), values: shares(counts))
          end
          x = View::Chart::Axis.new(unit: :ns, values: bands.upto_ns, log: true)
          View::Chart.new(kind: :line, unit: :share, series: lines, x:)
        end

        def shares(counts)
          all = counts.sum
          counts.map { |count| all.zero? ? nil : count.fdiv(all) }
        end
      end
    end
  end
end
