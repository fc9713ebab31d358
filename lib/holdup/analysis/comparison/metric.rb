# frozen_string_literal: true

module Holdup
  module Analysis
    class Comparison
      # A figure that both sides have.
      #
      # - `unit`: :ns, :share, :bytes, :per_second or :count, which says how it is written
      # - `better`: :less, :more, or nil where neither is (throughput is what users ask for, not what the application can)
      # - `resolution`: a smaller relative difference may come from the buckets of the histograms alone
      Metric = Data.define(:name, :unit, :better, :resolution) do
        def initialize(name:, unit:, better: :less, resolution: 0.0) = super

        # @return [Symbol] what it is asked for by: "wall" for all of its percentiles
        def family = name.to_s[/\A[a-z]+/].to_sym
      end

      # Half of a bucket.
      Metric::BUCKET = 0.022
      Metric::QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99}.freeze
      Metric::ALL = [
        *Metric::QUANTILES.keys.map { |name| Metric.new(name: :"wall_#{name}", unit: :ns, resolution: Metric::BUCKET) },
        Metric.new(name: :wall_mean, unit: :ns),
        *Metric::QUANTILES.keys.map { |name| Metric.new(name: :"wait_#{name}", unit: :ns, resolution: Metric::BUCKET) },
        Metric.new(name: :wait_mean, unit: :ns), Metric.new(name: :stalled_mean, unit: :ns), Metric.new(name: :stalled_p99, unit: :ns, resolution: Metric::BUCKET),
        Metric.new(name: :cpu_unit, unit: :ns), Metric.new(name: :cpu_process, unit: :ns), Metric.new(name: :cpu_share, unit: :share, better: nil),
        Metric.new(name: :pss, unit: :bytes), Metric.new(name: :uss, unit: :bytes),
        Metric.new(name: :gc_unit, unit: :ns), Metric.new(name: :errors, unit: :share), Metric.new(name: :throughput, unit: :per_second, better: nil)
      ].to_h { |metric| [metric.name, metric] }.freeze
      Metric::FAMILIES = Metric::ALL.values.map(&:family).uniq.freeze
    end
  end
end
