# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # How right the predictions of this store have been: in one sentence, and with each of them.
    class TrackRecordReport
      VERSION = 1

      # @param record [Sizing::TrackRecord]
      # @param kind [Symbol] of the units
      # @param limit [Integer] outcomes that are shown
      # @param judged [Array<JudgedChanges::JudgedChange>] changes that the store has seen
      def initialize(record, kind:, words:, limit: Command::ROWS, judged: [])
        @record = record
        @kind = kind
        @words = words
        @limit = limit
        @unjudged = judged.select(&:reason).sort_by { |change| -change.changed_s }
        @figures = AdviceFigures.new(words)
      end

      # @return [String]
      def sentence
        main = @record.main or return word(:none)
        facts = {predictions: main.predictions, close: main.close_ones, error: share(main.median_error)}
        return word(:sentence, **facts) if main.intervals.zero?
        word(:sentence_with_intervals, **facts, inside: main.inside, intervals: main.intervals)
      end

      # @return [View::Page]
      def page
        lead = View::Blocks::Lead.new(text: sentence)
        View::Page.new(title: word(:title, units: @words.units(@kind)),
          blocks: [lead, *(sections unless @record.none?), *without_outcome])
      end

      # @return [String] for programs; ends with a newline
      def json
        facts = {version: VERSION, kind: @kind, predictions: @record.outcomes.size, text: sentence,
                 figures: @record.figures.map { |figure| figure_facts(figure) },
                 outcomes: @record.outcomes.first(@limit).map { |outcome| outcome_facts(outcome) },
                 without_outcome: @unjudged.first(@limit).map { |change| change.to_h.except(:key) }}
        "#{JSON.pretty_generate(facts)}\n"
      end

      private

      def word(key, **facts) = @words.call(:"track_record_#{key}", **facts)

      def name(figure) = @words.call(:"verify_#{figure}")

      def share(value) = View::Figures.share(value)

      def sections
        [by_figure, by_outcome]
      end

      def by_figure
        columns = [@words.call(:verify_figure), word(:predictions), word(:median_error), word(:close),
          *(word(:inside) if intervals?)]
        rows = @record.figures.map do |figure|
          [name(figure.name), View::Figures.count(figure.predictions), share(figure.median_error),
            share(figure.close), *(inside(figure) if intervals?)]
        end
        View::Section.new(title: word(:by_figure), columns:, rows:, notes: [word(:meaning)])
      end

      # Whether any prediction has one.
      def intervals? = @record.figures.any? { |figure| figure.intervals.positive? }

      def inside(figure)
        share = figure.inside_share
        share ? share(share) : "-"
      end

      def by_outcome
        columns = [word(:measured_until), word(:setting), @words.call(:verify_predicted),
          *(word(:expected) if intervals?), @words.call(:verify_measured), @words.call(:verify_error)]
        shown = @record.outcomes.select { |outcome| outcome.figures.key?(Sizing::TrackRecord::MAIN) }
        View::Section.new(title: word(:by_outcome), columns:,
          rows: shown.first(@limit).map { |outcome| row(outcome) })
      end

      def row(outcome)
        quantity = outcome.figures.fetch(Sizing::TrackRecord::MAIN)
        predicted, measured = quantity.to_h.values_at(:predicted_ns, :measured_ns)
          .map { |ns| View::Figures.duration(ns) }
        [View::Blocks::Moment.new(at_s: outcome.at_s), "#{outcome.processes} x #{outcome.threads}", predicted,
          *(expected(quantity) if intervals?), measured,
          @figures.signed(outcome.error(Sizing::TrackRecord::MAIN))]
      end

      def expected(quantity)
        return "-" unless quantity.interval?
        bounds = [quantity.lowest_ns, quantity.highest_ns].map { |ns| View::Figures.duration(ns) }
        @words.range(*bounds)
      end

      # @return [Array<View::Section>] changes that could not be judged, and why
      def without_outcome
        return [] if @unjudged.empty?
        text = JudgedChangeText.new(@words)
        rows = @unjudged.first(@limit).map do |change|
          [View::Blocks::Moment.new(at_s: change.changed_s), text.change(change), text.reason(change)]
        end
        [View::Section.new(title: word(:without_outcome), rows:,
          columns: [word(:changed), word(:change), word(:why)])]
      end

      def figure_facts(figure)
        {name: figure.name, predictions: figure.predictions, median_error: figure.median_error.round(4),
         close: figure.close.round(4), intervals: figure.intervals, inside: figure.inside}
      end

      def outcome_facts(outcome)
        figures = outcome.figures.map do |name, quantity|
          {name:, **quantity.to_h.slice(:predicted_ns, :measured_ns, :lowest_ns, :highest_ns),
           error: outcome.error(name)&.round(4), inside: quantity.inside?}
        end
        {app: View::Width.clean(outcome.app), pool: View::Width.clean(outcome.pool),
         **outcome.to_h.slice(:from_s, :to_s, :at_s, :processes, :threads, :time_slice_ns, :units), figures:}
      end
    end
  end
end
