# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # A figure that both sides have.
      #
      # - `unit`: :ns, :share, :bytes, :per_second or :count, which says how it is written
      # - `better`: :less, :more, or nil where neither is (throughput is what users ask for, not what the
      #   application can)
      # - `resolution`: a smaller relative difference may come from the buckets of the histograms alone
      # - `least`, `least_share`: a smaller difference matters to nobody, however surely it is there: in the
      #   metric's unit, and relative
      Metric = Data.define(:name, :unit, :better, :resolution, :least, :least_share) do
        # @return [Symbol] "wall" of all percentiles of elapsed time
        def self.family(name) = name.to_s[/\A[a-z]+/].to_sym

        def initialize(name:, unit:, better: :less, resolution: 0.0, least: self.class::LEAST.fetch(self.class.family(name)),
          least_share: self.class::LEAST_SHARE)
          super
        end

        # @return [Symbol] what it is asked for by
        def family = self.class.family(name)
      end

      # Half of a bucket.
      Metric::BUCKET = 0.022
      Metric::QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99}.freeze
      Metric::US = 1000
      # By family; docs/compare.md has them too. Of times: what no user and no CPU notices in a unit.
      Metric::LEAST = {wall: 20 * Metric::US, wait: 20 * Metric::US, stalled: 20 * Metric::US, cpu: 5 * Metric::US,
                       gc: 5 * Metric::US, pss: 1_000_000, uss: 1_000_000, errors: 0.0005, throughput: 0.01}.freeze
      Metric::LEAST_SHARE = 0.01
      Metric::ALL = [
        *Metric::QUANTILES.keys.map { |name| Metric.new(name: :"wall_#{name}", unit: :ns, resolution: Metric::BUCKET) },
        Metric.new(name: :wall_mean, unit: :ns),
        *Metric::QUANTILES.keys.map { |name| Metric.new(name: :"wait_#{name}", unit: :ns, resolution: Metric::BUCKET) },
        Metric.new(name: :wait_mean, unit: :ns), Metric.new(name: :stalled_mean, unit: :ns), Metric.new(name: :stalled_p99, unit: :ns, resolution: Metric::BUCKET),
        Metric.new(name: :cpu_unit, unit: :ns), Metric.new(name: :cpu_process, unit: :ns),
        Metric.new(name: :cpu_share, unit: :share, better: nil, least: 0.002),
        Metric.new(name: :pss, unit: :bytes), Metric.new(name: :uss, unit: :bytes),
        Metric.new(name: :gc_unit, unit: :ns), Metric.new(name: :errors, unit: :share), Metric.new(name: :throughput, unit: :per_second, better: nil)
      ].to_h { |metric| [metric.name, metric] }.freeze
      Metric::FAMILIES = Metric::ALL.values.map(&:family).uniq.freeze
    end
  end
end
