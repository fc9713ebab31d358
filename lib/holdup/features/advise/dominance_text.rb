# frozen_string_literal: true

module Holdup
  module Advise
    # What is certain where the self-test fails, in sentences and a table.
    class DominanceText
      # Answers about a setting that have a sentence.
      SAID = %i[better worse alike no_gain].freeze

      # @param found [Sizing::Dominance::DominanceResult]
      # @param refusal [AdviceRefusal] why there is no advice with a grade
      def initialize(found, words:, refusal:)
        @found = found
        @words = words
        @refusal = refusal
        @figures = AdviceFigures.new(words)
      end

      # @return [String] the answer
      def lead
        sentences = main
        sentences << enough unless @found.enough.nil?
        sentences << alike if @found.alike.any?
        @words.sentences(sentences)
      end

      # @return [Array<String>] how it was found, and what would give more than that
      def details
        [tried, word(:instead, why: @refusal.cause_sentence)]
      end

      # @return [String, nil] about the only setting; nil if nothing is certain of it
      def of_setting
        one = @found.settings.first
        said(one) if SAID.include?(one.answer)
      end

      # @return [View::Section] all settings that were compared
      def section
        columns = %i[setting answer better by].map { |key| word(:"column_#{key}") }
        View::Section.new(title: word(:table, now: setting(@found.now), percentile:), columns:,
          rows: @found.settings.map { |one| row(one) }, notes: [])
      end

      private

      def word(key, **facts) = @words.call(:"dominance_#{key}", **facts)

      def main
        best = @found.best
        return [said(best)] if best
        @found.keep? ? [word(:keep, now: setting(@found.now), alike: allowed)] : []
      end

      def said(one)
        facts = {setting: setting(one.candidate), now: setting(@found.now), alike: allowed, percentile:,
                 compared: count(one.compared)}
        case one.answer
        when :better then better(one, facts)
        when :worse then word(:worse, **facts, count: count(one.worse))
        when :alike then word(:alike, **facts, count: count(one.alike))
        else word(:no_gain, **facts, count: count(one.compared - one.helping))
        end
      end

      def better(one, facts)
        low, high = one.gain.minmax.map { |gain| @figures.share(gain) }
        found = {**facts, count: count(one.better), high:}
        one.gain.begin.positive? ? word(:better, **found, low:) : word(:better_up_to, **found)
      end

      # Fewer threads than these may gain as much.
      def enough
        found = @found.enough
        word(:enough, threads: count(found.candidate.own_threads), alike: allowed, count: count(found.count),
          compared: count(found.compared))
      end

      # The one with the fewest threads: it needs the least memory and connections.
      def alike
        said(@found.alike.min_by { |one| one.candidate.threads })
      end

      def tried
        word(:tried, tried: count(@found.tried), effective: count(@found.effective.round))
      end

      def row(one)
        low, high = one.gain.minmax.map { |gain| @figures.signed(gain) }
        [setting(one.candidate), word(:"answer_#{one.answer}"),
          word(:of, count: count(one.better), compared: count(one.compared)), word(:range, low:, high:)]
      end

      def setting(candidate) = @figures.long(candidate)

      def allowed = @figures.share(Sizing::Dominance::ALIKE)

      def percentile = Sizing::Slo.new(percentile: @found.percentile).name

      def count(number) = View::Figures.count(number)

      # The same for programs.
      module Json
        module_function

        # @param found [Sizing::Dominance::DominanceResult, nil]
        # @return [Hash{Symbol => Object}, nil]
        def call(found)
          return unless found
          {tried: found.tried, effective: found.effective.round(1), events: found.events,
           now: JsonAdvice.candidate(found.now), best: setting(found.best), keep: found.keep?,
           enough_threads: enough(found.enough), settings: found.settings.map { |one| setting(one) }}
        end

        def setting(one)
          return unless one
          counts = one.to_h.slice(:compared, :better, :worse, :alike, :helping)
          gain_interval = one.gain.minmax.map { |bound| bound.round(4) }
          {**JsonAdvice.candidate(one.candidate), answer: one.answer, **counts, gain_interval:}
        end

        def enough(found)
          found && {threads: found.candidate.own_threads, count: found.count, compared: found.compared}
        end
        private_class_method :setting, :enough
      end
    end
  end
end
