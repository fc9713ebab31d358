# frozen_string_literal: true

module Holdup
  module Notify
    # Reads what the rules look at.
    class FactsReader
      NOW_LENGTH_S = 600
      # The windows of NoticeRules::BrokenSlo.
      BURN_SHORT_S = 300
      # A collector stores every few seconds.
      SILENT_S = 300
      # Halvings of the range in which a share is looked for: to a ten-thousandth.
      HALVINGS = 14

      # @param plan [ConfigurationKeys::NotifyPlan]
      # @param slo [String, nil] "p95=300ms"
      # @param compared [Array<RevisionFacts>] what this host found earlier
      def initialize(store, plan:, slo:, now_s:, words:, compared: [])
        @store = store
        @plan = plan
        @slo = slo
        @now_s = now_s
        @words = words
        @compared = compared
      end

      # @return [WatchedFacts]
      def call
        revisions = self.revisions
        @store.snapshot do
          NoticeRules::WatchedFacts.new(now: span(NOW_LENGTH_S), hour: span(HOUR_S), deaths:, changes:,
            promise:, revisions:, silent_hosts:, told: @store.notices(0, @now_s + 1))
        end
      end

      private

      def revisions
        return [] unless @plan.rules.include?(:revision)
        RevisionReader.new(@store, now_s: @now_s, words: @words, known: @compared).call
      end

      # What happened in the quiet hours is told afterwards.
      def since_s
        @now_s - HOUR_S - DueNotices::QuietHours.parse(@plan.quiet)&.minutes.to_i * MINUTE_S
      end

      def span(length_s)
        from_s = @now_s - length_s
        summary = Queries::LoadSummary.call(@store, from_s:, to_s: @now_s) { |one| View::Headline.parts(one) }
        answer = Analysis::StallVerdict.new(summary).call
        cause = answer.facts[:cause]
        verdict = {key: answer.key.name, cause: cause && View::Width.clean(cause.name)}
        total = summary.total
        NoticeRules::SpanFacts.new(count: total.count, stalled_share: total.split.share(:stalled),
          verdict:, text: View::Headline.new(summary, words: @words).verdict)
      end

      def deaths
        @store.deaths(since_s, @now_s + 1).map do |autopsy|
          sentences = Holdup::Deaths::DeathSentences.new(autopsy, words: @words)
          {id: autopsy.id, text: @words.sentences([sentences.died, *sentences.holder])}
        end
      end

      def changes
        acts = Autopilot::ActsReader.call(@store, since_s, @now_s + 1)
        acts.map { |act| act.first.to_h.slice(:at_s, :lever, :from, :to, :why) }
      end

      def promise
        return unless @slo
        percentile = @slo[/\Ap([\d.]+)/, 1].to_f / 100
        number, unit = @slo.match(/=([\d.]+)\s?(\w+)/).captures
        limit_ns = number.to_f * ConfigurationKeys::AutopilotGoal::UNITS.fetch(unit)
        lately, hour = [BURN_SHORT_S, HOUR_S].map { |length_s| elapsed(length_s) }
        return if lately.count.zero?
        NoticeRules::PromiseFacts.new(slo: @slo, budget: (1 - percentile).round(4), count: lately.count,
          lately: share_above(lately, limit_ns), hour: share_above(hour, limit_ns))
      end

      def elapsed(length_s)
        sums = @store.sums(@now_s - length_s, @now_s, kinds: [:request], histograms: [:wall])
        Histogram.sum(sums.map { |sum| sum.window.histograms.fetch(:wall) })
      end

      # The quantiles ascend.
      def share_above(histogram, limit_ns)
        low = 0.0
        high = 1.0
        HALVINGS.times do
          middle = (low + high) / 2
          (histogram.quantile(middle) > limit_ns) ? high = middle : low = middle
        end
        (histogram.quantile(1.0) > limit_ns) ? (1 - high).round(4) : 0.0
      end

      # A host that is switched off ends its processes first.
      def silent_hosts
        latest = @store.collector_checkpoints.group_by(&:host).transform_values do |same|
          same.map(&:at_ns).max / NS
        end
        silent = latest.select { |_, at_s| at_s.between?(@now_s - HOUR_S, @now_s - SILENT_S) }.keys
        silent.empty? ? [] : silent & living_hosts
      end

      def living_hosts
        samples = @store.processes(@now_s - 2 * HOUR_S, @now_s + 1)
        last = samples.to_h { |sample| [sample.values_at(:host, :pid, :start), sample] }
        last.values.reject { |sample| sample[:ended] }.map { |sample| sample[:host] }.uniq
      end
    end
  end
end
