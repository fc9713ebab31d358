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
      def initialize(record, kind:, words:, limit: Command::ROWS)
        @record = record
        @kind = kind
        @words = words
        @limit = limit
        @figures = AdviceFigures.new(words)
      end

      # @return [String]
      def sentence
        main = @record.main or return word(:none)
        word(:sentence, predictions: main.predictions, close: main.close_ones,
          error: share(main.median_error))
      end

      # @return [View::Page]
      def page
        View::Page.new(title: word(:title, units: @words.units(@kind)),
          blocks: [View::Blocks::Lead.new(text: sentence), *(sections unless @record.none?)])
      end

      # @return [String] for programs; ends with a newline
      def json
        facts = {version: VERSION, kind: @kind, predictions: @record.outcomes.size, text: sentence,
                 figures: @record.figures.map { |figure| figure_facts(figure) },
                 outcomes: @record.outcomes.first(@limit).map { |outcome| outcome_facts(outcome) }}
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
        columns = [@words.call(:verify_figure), word(:predictions), word(:median_error), word(:close)]
        rows = @record.figures.map do |figure|
          [name(figure.name), View::Figures.count(figure.predictions), share(figure.median_error),
            share(figure.close)]
        end
        View::Section.new(title: word(:by_figure), columns:, rows:, notes: [word(:meaning)])
      end

      def by_outcome
        columns = [word(:measured_until), word(:setting), @words.call(:verify_predicted),
          @words.call(:verify_measured), @words.call(:verify_error)]
        shown = @record.outcomes.select { |outcome| outcome.figures.key?(Sizing::TrackRecord::MAIN) }
        View::Section.new(title: word(:by_outcome), columns:,
          rows: shown.first(@limit).map { |outcome| row(outcome) })
      end

      def row(outcome)
        quantity = outcome.figures.fetch(Sizing::TrackRecord::MAIN)
        times = quantity.to_h.values_at(:predicted_ns, :measured_ns).map { |ns| View::Figures.duration(ns) }
        [View::Blocks::Moment.new(at_s: outcome.at_s), "#{outcome.processes} x #{outcome.threads}", *times,
          @figures.signed(outcome.error(Sizing::TrackRecord::MAIN))]
      end

      def figure_facts(figure)
        {name: figure.name, predictions: figure.predictions, median_error: figure.median_error.round(4),
         close: figure.close.round(4)}
      end

      def outcome_facts(outcome)
        figures = outcome.figures.map do |name, quantity|
          {name:, **quantity.to_h.slice(:predicted_ns, :measured_ns), error: outcome.error(name)&.round(4)}
        end
        {app: View::Width.clean(outcome.app), pool: View::Width.clean(outcome.pool),
         **outcome.to_h.slice(:from_s, :to_s, :at_s, :processes, :threads, :time_slice_ns, :units), figures:}
      end
    end
  end
end
