# frozen_string_literal: true

module Holdup
  module View
    # The sentences above the table: keep, change, or can't say, and how sure that is.
    class AdviceVerdict
      NS = 1_000_000_000

      # @param recommendation [Sizing::Recommendation, nil]
      # @param span [String]
      # @param words [Words]
      # @param kind [Symbol]
      # @param summary [Analysis::Summary, nil] of all units of that kind, also where no advice can be made of
      #   them
      def initialize(recommendation, span:, words:, kind: :request, summary: nil)
        @recommendation = recommendation
        @kind = kind
        @span = span
        @summary = summary
        @words = words
        @figures = AdviceFigures.new(words)
      end

      # @return [String]
      def title
        word(:title, kind: word(:"kind_#{@kind}"), span: @span, recorded:)
      end

      # @return [String]
      def sentence
        case @recommendation&.verdict
        when nil, :unknown then word(:unknown,
          reasons: AdviceReasons.new(@recommendation, words: @words, kind: @kind).call)
        when :change then change
        else keep
        end
      end

      # @return [Array<String>] effect, promise, confidence; where nothing can be said, what may be the reason
      def details
        return [] if @recommendation.nil?
        return warnings if @recommendation.verdict == :unknown || @recommendation.best.nil?
        [*effect, *promise, *bias, *growth, *cold, confidence, *sampling.call, *warnings, *canary]
      end

      # @return [String, nil] known to be wrong, and what many go by; nil where there is no recording
      def amdahl
        share = @recommendation&.recording&.demand&.idle_share or return
        word(:amdahl, amdahl: @recommendation.amdahl, share: Figures.share(share))
      end

      private

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      def recorded
        count = @summary ? @summary.total.count : @recommendation&.recording&.units.to_i
        return word(:recorded_none) if count.zero?
        measured = Figures.duration(@summary && @summary.measured_s * NS)
        word(:recorded, count: Figures.count(count), units: @words.units(@kind, count), measured:,
          rate: Figures.rate(@summary&.throughput), peak: Figures.rate(peak))
      end

      def peak
        (@recommendation.nil? || @recommendation.traffic.empty?) ? nil : @recommendation.rate
      end

      def now = @recommendation.current

      def best = @recommendation.best

      def slice?
        best.candidate.time_slice_ns != now.candidate.time_slice_ns
      end

      def settings
        {now: @figures.long(now.candidate, slice: best && slice?),
         best: best && @figures.long(best.candidate, slice: slice?)}
      end

      def change
        if @recommendation.why == :guard
          return word(:change_guard, **settings, guards: @figures.guards(now.guards))
        end
        word(:change, **settings, **gain)
      end

      def keep
        key = :"keep_#{@recommendation.why}"
        (key == :keep_too_little_gain) ? word(key, **settings,
**gain) : word(key, now: @figures.long(now.candidate))
      end

      def gain
        low, high = @recommendation.interval.minmax
        {gain: @figures.share(@recommendation.gain), low: @figures.share(low), high: @figures.share(high)}
      end

      def effect
        return [] if best.candidate == now.candidate
        unless now.replayed? && best.replayed?
          return [word(:ceiling, now_rate: Figures.rate(now.ceiling), best_rate: Figures.rate(best.ceiling))]
        end
        at = slo.percentile
        times = {wait_now: now.waits[at], wait_best: best.waits[at], response_now: now.responses[at],
                 response_best: best.responses[at]}
        [word(:effect, percentile: slo.name, **times.transform_values { |ns| Figures.duration(ns) })]
      end

      def promise
        return [] unless slo.limit_ns && best.replayed?
        response = best.responses[slo.percentile]
        [word(slo.met?(response) ? :slo_met : :slo_missed, percentile: slo.name,
          limit: Figures.duration(slo.limit_ns), response: Figures.duration(response))]
      end

      def canary
        (@recommendation.verdict == :change && @recommendation.confidence == :low) ? [word(:canary)] : []
      end

      def warnings
        found = @recommendation.recording.warnings
        return [] if found.empty?
        sentences = found.map { |key, facts| word(:"warning_#{key}", **@figures.facts(facts)) }
        [word(:warnings, warnings: sentences.join(" "))]
      end

      def bias
        AdviceBias.new(@recommendation.bias, words: @words).sentences
      end

      def growth
        return unknown_growth unless (found = recording.growth)
        [word(:growth, **shares(found, :value, :low, :high), gc: @figures.share(found.gc.to_f)),
          *most_growing]
      end

      # Of those of which it is certain.
      def most_growing
        series, found = recording.growths.select { |_, one| one.grows? }.max_by { |_, one| one.value }
        series ? [word(:growth_most, name: Width.clean(series.name),
**shares(found, :value, :low, :high))] : []
      end

      def unknown_growth
        found = recording.growth_estimate
        (found && !found.enough?) ? [word(:growth_unknown, **shares(found, :low, :high))] : []
      end

      def cold
        recording.rest ? [word(:cold, **shares(recording.rest, :value, :low, :high))] : []
      end

      def shares(found, *names)
        names.to_h { |name| [name, @figures.share(found.public_send(name))] }
      end

      def recording = @recommendation.recording

      def confidence
        word(:confidence, confidence: word(:"confidence_#{@recommendation.confidence}"),
          grade: @recommendation.self_test.grade.to_s.upcase, **errors)
      end

      def errors
        @figures.errors(@recommendation.self_test)
      end

      def slo = @recommendation.objective.slo

      def sampling
        AdviceSampling.new(@recommendation, words: @words)
      end
    end
  end
end
