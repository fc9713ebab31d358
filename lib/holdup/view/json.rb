# frozen_string_literal: true

require "json"

module Holdup
  module View
    # A report for programs. The keys are documented in docs/report.md and stay; new ones may come.
    class Json
      include JsonValues

      SCHEMA = 1
      HISTOGRAMS = %i[wall running stalled idle queued longest_hold].freeze
      SUMS = %i[cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns gc_ns caused_ns acquisitions preemptions pool_wait_ns
        pool_held_ns].freeze
      QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99}.freeze

      # @param summary [Holdup::Analysis::Summary]
      # @param words [Words] for the verdict's sentence
      # @param drifts [Array<Hash>] what changed with the last change of setting
      # @param marks [Array<Analysis::SettingChanges::SettingChange>]
      # @param uncollected [#units, #at_ns, #collecting, nil] what is not stored yet
      def initialize(summary, words: Words.new, drifts: [], marks: [], uncollected: nil)
        @summary = summary
        @words = words
        @drifts = drifts
        @marks = marks
        @uncollected = uncollected
      end

      # @return [String] ends with a newline
      def call
        "#{JSON.pretty_generate(to_h)}\n"
      end

      # @return [Hash]
      def to_h
        {schema: SCHEMA, from: time(@summary.from_s), to: time(@summary.to_s), by: @summary.by, uncollected:, verdict:, drifts: @drifts, marks:, settings:, totals:,
         series: @summary.rows.map { |row| series(row) }, **JsonMachine.new(@summary).to_h,
         jit: JsonJit.new(@summary.jits).to_a}
      end

      private

      def uncollected
        at_ns = @uncollected&.at_ns
        @uncollected && {units: @uncollected.units, stored_up_to: at_ns && time(at_ns / 1_000_000_000),
                         collector: @uncollected.collecting}
      end

      def verdict
        {key: Analysis::StallVerdict.new(@summary).call.key, text: Headline.new(@summary, words: @words).verdict}
      end

      def marks
        @marks.map { |mark|
          {at: time(mark.at_s), server: clean(mark.server), deployed: mark.deployed?,
           changed: mark.differences.map { |one| difference(one) }}
        }
      end

      def settings
        @summary.setting_names.settings.map { |setting|
          {fingerprint: setting.fingerprint, attributes: setting.attributes}
        }
      end

      def totals
        {measured_from: time(@summary.measured_from_s), measured_to: time(@summary.measured_to_s),
         per_second: @summary.throughput, **figures(@summary.total), handoff_ns: @summary.blame.handoff_ns, accounts:, amdahl:}
      end

      def accounts
        @summary.blame.accounts.map do |line|
          {name: clean(line.name), suffered_ns: line.suffered, caused_ns: line.caused,
           running_ns: line.running}
        end
      end

      def amdahl
        share = @summary.total.idle_share
        share ? Analysis::Amdahl.table(share).map { |line|
          {threads: line.threads,
           speed_up: line.speed_up.round(4)}
        } : []
      end

      def series(row)
        {name: clean(row.name), kind: row.kind, queue: row.queue && clean(row.queue), **figures(row)}
      end

      def figures(row)
        {count: row.count, errors: row.errors, **distributions(row), **SUMS.to_h { |key| [key, row.sum(key)] },
         idle_share: row.idle_share&.round(4), idle_and_stall_share: row.idle_and_stall_share&.round(4),
         capacity_share: @summary.capacity_share(row)&.round(4), groups: groups(row)}
      end

      def distributions(row)
        HISTOGRAMS.to_h { |key| [:"#{key}_ns", distribution(row.histogram(key), row.count)] }
      end

      # What is known of no unit has no sum.
      def distribution(histogram, units)
        sum = histogram.sum unless histogram.count.zero? && units.positive?
        {sum:, mean: histogram.mean&.round, **QUANTILES.transform_values { |q| histogram.quantile(q) },
         max: histogram.max}
      end

      def groups(row)
        Analysis::HistogramBands::QuantileBands::BANDS.transform_values do |band|
          means = %i[wall running idle stalled].to_h do |key|
            [:"#{key}_ns", Analysis::HistogramBands::QuantileBands.mean(row.histogram(key), *band)&.round]
          end
          {count: Analysis::HistogramBands::QuantileBands.size(row.histogram(:wall), *band), **means}
        end
      end
    end
  end
end
