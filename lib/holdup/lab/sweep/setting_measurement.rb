# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
    end

    # The results of one step at one rate, as plain figures for a file. Durations are means in ns unless their
    # name says otherwise.
    #
    # - `arm`, `round`, `rate`; `setting`: the facts that the server reported
    # - as the client saw it: `sent`, `answered`, `errors`, `throughput` (answers per second), `client_p50_ns`
    #   and so on
    # - in the server: `queued_ns` (from the client's sending), `stalled_ns`, `running_ns`, `idle_ns`,
    #   `response_ns`, `p50_ns`, `p95_ns` and `p99_ns` (queued included), `cpu_ns` of a request,
    #   `memory_bytes`
    # - `jit`: {kind, by, code_bytes, metadata_bytes, saturated}, sizes of the largest process; `cold`:
    #   additional CPU of the first requests compared with the last, as a share; `warm_after_s`: time until it
    #   vanished
    # - `warm_up_s`, `steady`; `endpoints`: {name => Endpoints::EndpointFigures}
    Sweep::SettingMeasurement = Data.define(
      :arm, :round, :rate, :setting,
      :sent, :answered, :errors, :throughput, :client_p50_ns, :client_p95_ns, :client_p99_ns,
      :queued_ns, :stalled_ns, :running_ns, :idle_ns, :response_ns, :p50_ns, :p95_ns, :p99_ns,
      :cpu_ns, :memory_bytes, :jit, :cold, :warm_after_s, :warm_up_s, :steady, :endpoints
    ) do
      def self.of(outcome, round:)
        new(
          arm: outcome.arm,
          round:,
          rate: outcome.rate,
          setting: outcome.setting.attributes,
          **client(outcome),
          **server(outcome),
          **warm_up(outcome.warmed),
          cpu_ns: outcome.cpu_ns&.round,
          memory_bytes: outcome.memory_bytes,
          jit: jit(outcome),
          endpoints: Endpoints.new(outcome.observation, load: reference(outcome)).to_h
        )
      end

      # @param hash [Hash{Symbol => Object}] from to_h
      def self.from(hash)
        endpoints = hash.fetch(:endpoints).to_h do |name, figures|
          [name.to_s, Endpoints::EndpointFigures.new(**figures)]
        end
        new(**hash, arm: Arm.from(hash.fetch(:arm)), setting: hash.fetch(:setting).transform_keys(&:to_s),
          endpoints:)
      end

      def self.client(outcome)
        total = outcome.seen.total
        {
          sent: total.count,
          answered: total.answered,
          errors: total.unexpected,
          throughput: outcome.throughput.round(3),
          client_p50_ns: total.p50_ns,
          client_p95_ns: total.p95_ns,
          client_p99_ns: total.p99_ns
        }
      end

      def self.server(outcome)
        row = outcome.total
        percentiles = Exchange::Percentile::KEPT.invert.transform_values { |share| outcome.percentile(share) }
        {
          queued_ns: outcome.queued_ns&.round,
          stalled_ns: outcome.stalled_ns.round,
          running_ns: row.histogram(:running).mean.round,
          idle_ns: row.histogram(:idle).mean.round,
          response_ns: outcome.response_ns.round,
          **percentiles
        }
      end

      def self.jit(outcome)
        largest = ->(gauge) { outcome.gauges.filter_map { |gauges| gauges[gauge] }.max }
        {
          kind: outcome.setting["jit"],
          by: outcome.setting["jit_by"],
          code_bytes: largest[:jit_code_bytes],
          metadata_bytes: largest[:jit_alloc_bytes],
          saturated: largest[:jit_saturated].to_i.positive?
        }
      end

      def self.warm_up(warmed)
        {cold: warmed.cold.round(3), warm_after_s: warmed.warm_after_s.round(1), warm_up_s: warmed.seconds,
         steady: warmed.steady}
      end

      def self.reference(outcome)
        Endpoints::ReferenceLoad.new(rate: outcome.rate, processes: outcome.observation.processes,
          threads: outcome.observation.threads)
      end
      private_class_method :client, :server, :jit, :reference, :warm_up

      # @return [Endpoints::ReferenceLoad] of the endpoints' figures
      def load
        Endpoints::ReferenceLoad.new(rate:, processes: [setting["workers"].to_i, 1].max,
          threads: setting["threads"] || arm.threads || 1)
      end

      # @return [Integer] ns of waiting that a user notices, mean
      def wait_ns = queued_ns.to_i + stalled_ns

      # @param seconds [Numeric] of sending its requests
      # @return [Boolean] whether the server kept up with them, see Load::Pace
      def kept_up?(seconds)
        Load::Pace.kept?(sent:, throughput:, seconds:, response_ns:)
      end

      # @param share [Float] 0.5, 0.95 or 0.99; others use the next stored one above
      # @return [Integer] ns
      def percentile(share)
        public_send(Exchange::Percentile.kept(share))
      end

      def to_h
        super.merge(arm: arm.to_h, endpoints: endpoints.transform_values(&:to_h))
      end
    end
  end
end
