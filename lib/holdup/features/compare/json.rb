# frozen_string_literal: true

require "json"

module Holdup
  module Compare
    # A comparison for programs. docs/schema/compare.json describes the keys; they are stable, new ones may
    # be added.
    class Json
      include View::Json::Values

      SCHEMA = 1

      def initialize(comparison, sentences:)
        @comparison = comparison
        @sentences = sentences
      end

      # @return [String] ends with a newline
      def call
        "#{JSON.pretty_generate(to_h)}\n"
      end

      def to_h
        {schema: SCHEMA, verdict:, before: side(@comparison.before), after: side(@comparison.after),
         changed:, blocks:, boots:, metrics:, endpoints:, methods: method_changes, pairs: pair_changes,
         mix_effect: @comparison.mix_effect.round(4),
         machine_slower: @comparison.machine_slower&.round(4),
         left_out: @comparison.left_out.map { |share| share.round(4) }}
      end

      private

      def verdict
        found = @sentences.verdict
        {key: found.key, text: @sentences.lead, cause: @sentences.cause, level: found.level.round(4),
         moved: names(found.moved), unmoved: names(found.unmoved)}
      end

      def names(estimates)
        estimates.map { |estimate| estimate.metric.name }
      end

      def side(side)
        {label: clean(side.label), from: time(side.from_s), to: time(side.to_s), units: side.units,
         processes: side.processes,
         warm_up_units: side.cold_units,
         settings: side.settings.map { |setting|
           {fingerprint: setting.fingerprint,
            attributes: setting.attributes}
         }}
      end

      def changed
        @comparison.change.differences.map { |one| difference(one) }
      end

      def blocks
        {seconds: @comparison.block_s, before: @comparison.sizes.first, after: @comparison.sizes.last,
         same_time: @comparison.paired?, held: @comparison.held}
      end

      # Of elapsed time; nil where both sides have the same processes, or these are unknown.
      def boots
        draw = @comparison.boots or return
        estimates = @comparison.estimates.values.select { |estimate| estimate.boots_decide?(Estimate::LEVEL) }
        {deviation: draw.spread.deviation.round(4), assumed: draw.spread.assumed?,
         processes: draw.spread.processes, decides: names(estimates)}
      end

      def metrics
        @comparison.estimates.values.select(&:known?).map { |estimate| metric(estimate) }
      end

      def metric(estimate)
        range = estimate.interval
        {name: estimate.metric.name, unit: estimate.metric.unit, before: round(estimate, estimate.before),
         after: round(estimate, estimate.after),
         difference: round(estimate, estimate.difference), relative: estimate.relative&.round(5),
         relative_interval: (bounds(range, 5) if estimate.relative?),
         relative_interval_alone: (bounds(estimate.without_boots.interval, 5) if estimate.boots),
         difference_interval: (bounds(range, 5) unless estimate.relative?),
         visible: estimate.visible&.round(4), verdict: estimate.verdict,
         relevant: estimate.relevant?}
      end

      def bounds(range, digits)
        range && [range.begin, range.end].map { |bound| bound.round(digits) + 0 }
      end # and never -0.0

      def round(estimate, value)
        %i[ns bytes].include?(estimate.metric.unit) ? value.round : value.round(6)
      end

      def method_changes
        @comparison.method_changes.map do |change|
          line = change.line
          {name: clean(line.name), method: clean(line.label), path: clean(line.path), line: line.line,
           called: clean(line.called), samples: change.samples,
           **metric(change.estimate).except(:name)}
        end
      end

      # Those of which one side recorded nothing are not among them.
      def pair_changes
        @comparison.pair_changes.map do |change|
          {victim: clean(change.victim), causer: clean(change.holder), key: change.key,
           **metric(change.estimate).except(:name)}
        end
      end

      def endpoints
        @comparison.contributions.map do |one|
          {name: clean(one.series.name), kind: one.series.kind,
           queue: one.series.queue && clean(one.series.queue),
           shares: one.shares.map { |share| share.round(4) },
           mean_ns: one.means.map(&:round), moved_ns: one.moved_ns.round,
           moved_interval_ns: bounds(one.range, 0)}
        end
      end
    end
  end
end
