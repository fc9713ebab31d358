# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # The advice for programs. Durations are integer nanoseconds, shares 0.0 to 1.0; docs/guide/advise.md
    # lists the keys.
    class JsonAdvice
      VERSION = 1

      # @param answer [Holdup::Advise::AdviceAnswer]
      # @param asked [Hash{Symbol => Object}] the other options (warm_up_s), which `--verify` needs again
      def initialize(answer, **asked)
        @answer = answer
        @result = answer.result
        @asked = {**answer.to_h.slice(:from_s, :to_s, :kind), **asked}
      end

      # @return [String] ends with a newline
      def call
        "#{JSON.pretty_generate(to_h)}\n"
      end

      def to_h
        findings = @answer.findings.map { |finding| finding(finding) }
        {version: VERSION, **@asked, **verdict, **backlog, findings:}
      end

      def self.prediction(prediction)
        candidate(prediction.candidate).merge(ceiling_per_second: prediction.ceiling.round(3),
          utilisation: prediction.utilisation.round(4),
          **times(prediction), memory_bytes: prediction.memory_bytes, connections: prediction.connections,
          guards: prediction.guards.map(&:to_h))
      end

      # @param found [Sizing::WidenedGain, nil]
      def self.boots(found)
        return unless found
        {deviation: found.spread.deviation.round(4), assumed: found.spread.assumed?,
         processes: found.spread.processes,
         decides: found.decides?, gain_interval_alone: found.alone.minmax.map { |bound| bound.round(4) }}
      end

      def self.times(prediction)
        {assignments: prediction.assignments, queued_ns: prediction.queued_ns&.round,
         stalled_ns: prediction.stalled_ns&.round,
         response_ns: percentiles(prediction.responses), wait_ns: percentiles(prediction.waits)}
      end

      def self.candidate(candidate)
        other_pool_threads = candidate.other_threads if candidate.other_threads.any?
        concurrent_threads = candidate.concurrent_threads if candidate.concurrent_threads.any?
        pool = candidate.pool && candidate(candidate.pool)
        {**candidate.to_h.except(:other_threads), other_pool_threads:, concurrent_threads:, pool:}.compact
      end

      def self.percentiles(values)
        values.to_h { |share, value| ["p#{format("%g", share * 100)}", value.round] }
      end
      private_class_method :times, :percentiles

      private

      def verdict
        return {verdict: :unknown, reasons: [:no_recording]} unless @result
        if @result.verdict == :unknown
          dominance = DominanceText::Json.call(@result.dominance)
          return {verdict: :unknown, reasons: @result.reasons, **tested, **{dominance:}.compact}
        end
        {verdict: @result.verdict, why: @result.why, **decision, **deadlines, **fleet,
         current: self.class.prediction(@result.measured),
         candidates: @result.predictions.map { |prediction| self.class.prediction(prediction) }}
      end

      def decision
        {setting: recording.setting, peak_per_second: @result.rate.round(3),
         amdahl_threads: @result.amdahl, self_test:,
         missing: @result.sufficiency.missing, bias: AdviceFigures::Bias.json(@result.bias),
         misses: @result.misses, boots: self.class.boots(@result.boots),
         growth: estimate(recording.growth_estimate), idle_growth: estimate(recording.idle_growth),
         rest: estimate(recording.rest),
         growths: recording.growths.map { |series, found|
           {name: series.name, queue: series.queue,
            **estimate(found)}
         }, **best}
      end

      def recording = @result.recording

      # The self-test is shown only if it is the reason for giving no advice.
      def tested
        @result.reasons.include?(:self_test) ? {self_test:} : {}
      end

      def self_test
        test = @result.self_test
        {grade: test.grade, reasons: test.reasons, errors: rounded(test.errors),
         causes: rounded(test.causes.figures), handoff_ns: Array(test.handoff_ns).map(&:round),
         closed_load: recording.closed, arrivals: recording.arrivals, users:}
      end

      def users
        found = @result.users
        found && {count: found.count(@result.rate), pauses_ns: found.thinks_ns.map(&:round)}
      end

      def rounded(figures)
        figures.transform_values { |figure| figure.round(4) }
      end

      # nil if nothing is found or the estimate is unknown.
      def estimate(found)
        found && {**found.to_h.slice(:value, :low, :high, :gc).transform_values { |share| share&.round(4) },
          enough: found.enough?, units: found.units}
      end

      def best
        return {} unless @result.best
        {gain: @result.gain.round(4),
         gain_interval: @result.interval.minmax.map { |bound| bound.round(4) },
         confidence: @result.confidence,
         best: self.class.prediction(@result.best), **pools}
      end

      def deadlines
        needs = @answer.deadlines or return {}
        {deadlines: {within_s: needs.within_s, processes: needs.processes.round(3), processes_now: needs.now,
                     queues: needs.queues.map { |need| queue(need) }}}
      end

      def backlog
        found = @answer.backlog or return {}
        {backlog: {**found.to_h.slice(:at_s, :jobs, :more, :unrecorded, :pool), **completions(found)}}
      end

      def completions(found)
        {arrivals_per_second: found.arrival_rate.round(4),
         queues: found.waiting.map { |name, jobs| {queue: name, jobs:} },
         now: completion(found.now), settings: found.times.map { |time| completion(time) }}
      end

      def completion(found)
        queues = found.queues.map { |wait| {queue: wait.name, **wait.to_h.except(:name)} }
        candidate = found.candidate
        {processes: candidate.processes, threads: candidate.caps.first, done_ns: found.done_ns, queues:}
      end

      def fleet
        found = @answer.fleet or return {}
        asked = {**found.prices.to_h, slo_percentile: found.slo.percentile, slo_ns: found.slo.limit_ns}
        return {fleet: {**asked, reason: found.reason}} if found.reason
        {fleet: {**asked, now: offer(found.now), best: offer(found.best), saving: found.saving.round(4),
                          defaults: found.defaults.map { |default| default_setting(default) }}}
      end

      def default_setting(default)
        {name: default.name, threads: default.threads, there: self.class.prediction(default.there),
         needed: default.needed && offer(default.needed)}
      end

      def offer(offer)
        {hosts: offer.hosts, vcpus: offer.vcpus, price_hour: offer.price_hour.round(6),
         host: self.class.prediction(offer.prediction)}
      end

      def queue(need)
        {queue: need.queue, per_second: need.rate.round(4), peak_per_second: need.peak_rate.round(4),
         process_per_second: need.process_rate.round(4), queued_p95_ns: need.waited_ns,
         processes: need.processes.round(3)}
      end

      def pools
        return {} if @result.pools.empty?
        sides = @result.pools.map do |one|
          {name: one.name, current: pool(one.current), best: pool(one.best)}
        end
        {pools: sides}
      end

      def pool(found)
        found && {threads: found.threads, per_second: found.throughput.round(3),
                  stalled_ns: found.stalled_ns.round, wall_ns: found.wall_ns.round}
      end

      def finding(finding)
        {rule: finding.rule, remedy: finding.remedy, facts: finding.facts, change: finding.line&.to_h,
         limits: finding.limits.map(&:to_h), measure: finding.measure, gain: finding.gain&.round(4),
         gain_interval: finding.interval&.minmax&.map { |bound| bound.round(4) },
         weight: finding.weight.to_f.round(4)}
      end
    end
  end
end
