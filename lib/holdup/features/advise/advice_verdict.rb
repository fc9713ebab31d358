# frozen_string_literal: true

module Holdup
  module Advise
    # The sentences above the table: keep, change, or unknown, and how certain that is.
    class AdviceVerdict
      # Share of the time that a unit holds the GVL.
      WORTH_SAYING = 0.05

      # @param result [Sizing::AdviceResult, nil] nil without a recording
      # @param load [Holdup::Advise::Report::AdviceAnswer::MeasuredLoad, nil] of all units of that kind, also
      #   of those without advice
      # @param shortage [Analysis::CpuShortage::ShortageFigures, nil] nil: there were enough CPUs
      def initialize(result, span:, words:, kind: :request, load: nil, shortage: nil)
        @result = result
        @shortage = shortage
        @kind = kind
        @span = span
        @load = load
        @words = words
        @figures = AdviceFigures.new(words)
      end

      def title
        word(:title, kind: word(:"kind_#{@kind}"), span: @span, recorded:)
      end

      # Whether no setting can be advised from this recording.
      def refused? = @result.nil? || @result.verdict == :unknown

      # Whether something is certain although no setting can be advised.
      def dominance? = !@result&.dominance.nil?

      # Whether the sentence says that the host has no free CPU.
      def out_of_cpu? = refused? && !dominance? && refusal.out_of_cpu?

      def sentence
        return dominance.lead if dominance?
        return refusal.sentence if refused?
        @words.sentences([*wrong_again, (@result.verdict == :change) ? change : keep])
      end

      # @return [View::Section, nil] the settings of which something is certain
      def compared = dominance? ? dominance.section : nil

      # @return [Array<String>] effect, promise, confidence; of a refusal, its causes
      def details
        return [*dominance.details, *causes] if dominance?
        return causes if refused?
        return warnings if @result.best.nil?
        [*effect, *peak_apart, *peak_contradicted, *users, *promise, *bias, *boots, *growth,
          *idle_growth, *handoff, *cold, confidence, *not_grade_a, *sampling.call, *warnings, *canary]
      end

      # @return [Array<String>] the part of the details that says whether to follow it
      def reliability
        return dominance.details if dominance?
        return [] if refused?
        return warnings unless graded?
        first, last = @result.boots&.decides? ? [boots, []] : [[], boots]
        [*promise, *users, *peak_contradicted, *first, confidence, *not_grade_a, *warnings, *canary, *last]
      end

      # @return [Array<String>] confidence and grade in a line; empty where nothing is predicted
      def grade
        return [] unless graded?
        [word(:confidence_alone, confidence: word(:"confidence_#{@result.confidence}"),
          grade: @result.self_test.grade.to_s.upcase)]
      end

      # @return [String, nil] the widely used rule and why it is wrong; nil without a recording
      def amdahl
        share = @result&.recording&.idle_share or return
        word(:amdahl, amdahl: @result.amdahl, share: View::Figures.share(share))
      end

      private

      def refusal = AdviceRefusal.new(@result, words: @words, kind: @kind, shortage: @shortage)

      def dominance = @dominance ||= DominanceText.new(@result.dominance, words: @words, refusal:)

      def graded? = !refused? && !@result.best.nil?

      # All that may be wrong, of which the refusal's sentence names one.
      def causes
        out_of_cpu = View::Remarks::OutOfCpu.sentence(@shortage, words: @words) if out_of_cpu?
        [out_of_cpu, word(:causes, reasons: reasons.call), *(warnings if @result)].compact
      end

      def word(key, **facts)
        @words.call(:"advice_#{key}", **facts)
      end

      def recorded
        count = @load ? @load.count : @result&.recording&.units.to_i
        return word(:recorded_none) if count.zero?
        measured = View::Figures.duration(@load && @load.measured_s * NS)
        word(:recorded, count: View::Figures.count(count), units: @words.units(@kind, count), measured:,
          rate: View::Figures.rate(@load&.throughput), peak: View::Figures.rate(@result&.rate))
      end

      def now = @result.current

      def best = @result.best

      def slice?
        best.candidate.time_slice_ns != now.candidate.time_slice_ns
      end

      def settings
        {now: @figures.long(now.candidate, slice: best && slice?),
         best: best && @figures.long(best.candidate, slice: slice?)}
      end

      def change
        if @result.why == :guard
          return word(:change_guard, **settings, guards: @figures.guards(now.guards))
        end
        word(:change, **settings, **gain)
      end

      def keep
        unless @result.why == :too_little_gain
          return word(:"keep_#{@result.why}", now: @figures.long(now.candidate))
        end
        enough = @result.gain > Sizing::Recommendation::HYSTERESIS
        word(enough ? :keep_uncertain_gain : :keep_too_little_gain, **settings, **gain)
      end

      # A model that was wrong twice says so first.
      def wrong_again
        @result.wrong_again? ? [word(:wrong_again, misses: View::Figures.count(@result.misses))] : []
      end

      def gain
        low, high = @result.interval.minmax
        {gain: @figures.share(@result.gain), low: @figures.share(low), high: @figures.share(high)}
      end

      def effect
        return [] if best.candidate == now.candidate
        unless now.replayed? && best.replayed?
          return [word(:ceiling, now_rate: View::Figures.rate(now.ceiling),
            best_rate: View::Figures.rate(best.ceiling))]
        end
        at = slo.percentile
        # Both replayed, as the gain is: the error of a replay is on both sides then.
        times = {wait_now: now.waits[at], wait_best: best.waits[at],
                 response_now: now.responses[at], response_best: best.responses[at]}
        [word(:effect, percentile: slo.name, **times.transform_values { |ns| View::Figures.duration(ns) })]
      end

      def peak_apart
        minutes = @result.peak_minutes
        minutes.zero? ? [] : [word(:peak_apart, minutes: View::Figures.count(minutes))]
      end

      def users
        found = @result.users
        return [] if found.nil? || found.think_ns.zero?
        low, high = found.thinks_ns.minmax.map { |ns| View::Figures.duration(ns) }
        [word(:users, users: View::Figures.count(found.count(@result.rate)), low:, high:,
          think: View::Figures.duration(found.think_ns))]
      end

      def promise
        return [] unless slo.limit_ns && best.replayed?
        response = best.responses[slo.percentile]
        [word(slo.met?(response) ? :slo_met : :slo_missed, percentile: slo.name,
          limit: View::Figures.duration(slo.limit_ns), response: View::Figures.duration(response))]
      end

      def canary
        (@result.verdict == :change && @result.confidence == :low) ? [word(:canary)] : []
      end

      def bias
        AdviceFigures::Bias.new(@result.bias, words: @words).sentences
      end

      def boots = @figures.boots(@result.boots)

      def growth
        return unknown_growth unless (found = recording.growth)
        [word(:growth, **shares(found, :value, :low, :high), gc: @figures.share(found.gc.to_f)),
          word((found.between_levels > 0.5) ? :growth_levels : :growth_blocks), *most_growing]
      end

      def idle_growth
        found = recording.idle_growth
        found&.grows? ? [word(:idle_growth, **shares(found, :value, :low, :high))] : []
      end

      # What passing the GVL on takes of it, if others always wait.
      def handoff
        acquisitions = recording.acquisitions
        waiting = @result.now.own_threads - 1
        handoff_ns = Sizing::Handoff.with_waiting(@result.self_test.handoff_ns, waiting)
        all_ns = acquisitions * handoff_ns
        return [] if all_ns < WORTH_SAYING * recording.held_ns
        [word(:handoff, acquisitions: acquisitions.round, handoff: View::Figures.duration(handoff_ns),
          all: View::Figures.duration(all_ns))]
      end

      # The effect that grows most, of those that are certain.
      def most_growing
        series, found = recording.growths.select { |_, one| one.grows? }.max_by { |_, one| one.value }
        return [] unless series
        [word(:growth_most, name: View::Width.clean(series.name), **shares(found, :value, :low, :high))]
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

      def recording = @result.recording

      def confidence
        word(:confidence, confidence: word(:"confidence_#{@result.confidence}"),
          grade: @result.self_test.grade.to_s.upcase, **errors)
      end

      # How exact predictions are, see Exactness.
      def peak_contradicted = exactness.peak_contradicted

      def not_grade_a = exactness.not_grade_a

      def warnings = exactness.warnings

      def exactness
        @exactness ||= Exactness.new(self_test: @result.self_test, peak: @result.peak,
          warnings: @result.recording.warnings, words: @words, reasons:)
      end

      def reasons
        @reasons ||= Reasons.new(@result, words: @words, kind: @kind)
      end

      def errors
        @figures.errors(@result.self_test)
      end

      def slo = @result.objective.slo

      def sampling
        Sampling.new(@result, words: @words)
      end

      # How exact predictions of any setting are: the self-test, and what may be wrong.
      class Exactness
        # @param self_test [Sizing::SelfTest::SelfTestResult, nil] nil: nothing was replayed
        # @param peak [Sizing::SelfTest::PeakContradiction, nil]
        # @param warnings [Hash{Symbol => Hash}] see Sizing::AdviceResult::RecordingFacts
        # @param reasons [Reasons]
        def initialize(self_test:, peak:, warnings:, words:, reasons:)
          @self_test = self_test
          @peak = peak
          @warnings = warnings
          @words = words
          @reasons = reasons
          @figures = AdviceFigures.new(words)
        end

        # @return [Array<String>] all sentences
        def call
          grade = @self_test.grade.to_s.upcase
          [word(:self_test_grade, grade:, **@figures.errors(@self_test)), *peak_contradicted, *not_grade_a,
            *warnings]
        end

        # The replayed time beside the one that the table shows as measured.
        # @return [Array<String>]
        def peak_contradicted
          return [] unless @peak
          replayed, measured = [@peak.replayed_ns, @peak.measured_ns].map { |ns| View::Figures.duration(ns) }
          percentile = Sizing::Slo.new(percentile: @peak.percentile).name
          [word(:peak_contradicted, percentile:, replayed:, measured:)]
        end

        # Grade C gives no advice; there the causes are already said as the reason.
        # @return [Array<String>]
        def not_grade_a
          found = @self_test.reasons
          found.empty? ? [] : [word(:not_grade_a, reasons: @reasons.of(found))]
        end

        # @return [Array<String>]
        def warnings
          return [] if @warnings.empty?
          sentences = @warnings.map { |key, facts| word(:"warning_#{key}", **@figures.facts(facts)) }
          [word(:warnings, warnings: @words.sentences(sentences))]
        end

        private

        def word(key, **facts) = @words.call(:"advice_#{key}", **facts)
      end

      # How much is recorded, how precise its figures are, and what is missing. No fixed number of requests
      # suffices for every application.
      class Sampling
        # @param result [Sizing::AdviceResult]
        def initialize(result, words:)
          @found = result.sufficiency
          @words = words
        end

        # @return [Array<String>] a sentence if something is missing
        def call
          @found.enough? ? [] : [word(:sampling, **facts)]
        end

        # @return [Hash{Symbol => String}] units, time, widths, missing
        def facts
          {units: View::Figures.count(@found.units), time:, widths:, missing:}
        end

        private

        def word(key, **facts)
          @words.call(:"advice_#{key}", **facts)
        end

        def time
          seconds = (@found.blocks * @found.block_s).round
          return Queries::OptionValues.length(seconds) if seconds.between?(1, MINUTE_S - 1)
          word(:minutes, minutes: View::Figures.count(@found.minutes))
        end

        def widths
          known = @found.widths.map { |key, width| word(:"width_#{key}", width: View::Figures.share(width)) }
          known.empty? ? "" : word(:widths, widths: @words.list(known))
        end

        def missing
          @words.list(@found.missing.map { |key| word(:"missing_#{key}") })
        end
      end
    end
  end
end
