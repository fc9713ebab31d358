# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # Predicted and measured values side by side, after an advice is applied.
    class VerificationReport
      # @param found [Sizing::Verification::VerificationResult]
      # @param span [String] of the measurement
      # @param stored [Boolean] whether later advice learns from it
      def initialize(found, span:, stored: false, words: View::Words.new)
        @found = found
        @span = span
        @stored = stored
        @words = words
        @figures = AdviceFigures.new(words)
      end

      # @return [View::Page]
      def page
        View::Page.new(title:, blocks: [View::Blocks::Lead.new(text: sentence), section])
      end

      # @return [String] for programs; ends with a newline
      def json
        lines = @found.lines.map { |line| figures(line) }
        "#{JSON.pretty_generate(kept: @found.kept?,
**@found.candidate.to_h.slice(:processes, :threads, :time_slice_ns), units: @found.units, stored: @stored,
          lines:)}\n"
      end

      private

      def figures(line)
        times = line.to_h.slice(:before, :predicted, :measured).to_h { |key, ns| [:"#{key}_ns", ns.round] }
        {name: line.name, **times, error: line.error.round(4),
         interval: line.interval.minmax.map { |bound| bound.round(4) }, kept: line.kept?}
      end

      def word(key, **facts)
        @words.call(:"verify_#{key}", **facts)
      end

      def name(line)
        word((line.name == :wait && !@found.queued) ? :wait_unqueued : line.name)
      end

      def title
        word(:title, setting: @figures.setting(@found.candidate, slice: @found.sliced), span: @span,
          units: View::Figures.count(@found.units))
      end

      def sentence
        return word(:kept) if @found.kept?
        missed = @found.lines.reject(&:kept?).map { |line| name(line) }
        @words.sentences([word(:missed, names: @words.list(missed)), *causes])
      end

      # Causes that the new figures support; other work or another machine shows in no figure.
      def causes
        figures = @figures.causes(@found.causes)
        named = @found.causes.call.map { |cause| @words.call(:"advice_reason_#{cause}", **figures) }
        [*named, word(:elsewhere)]
      end

      def section
        columns = %i[figure before predicted measured error interval].map { |key| word(key) }
        View::Section.new(title: "", columns:, rows:, notes: [word(:meaning), *(word(:stored) if @stored)])
      end

      def rows
        @found.lines.map do |line|
          [name(line), *[line.before, line.predicted, line.measured].map { |ns|
            View::Figures.duration(ns.round)
          },
            @figures.signed(line.error),
            @words.range(*line.interval.minmax.map { |bound| @figures.signed(bound) })]
        end
      end
    end
  end
end
