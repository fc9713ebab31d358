# frozen_string_literal: true

module Holdup
  class StatsLog
    # What `config.stats_log` asks for.
    #
    # - `to`: :stdout, :stderr, a path, an IO or a Logger; `every`: seconds; `format`: :json or :emf
    # - `sample`: share of the lines that are written; `workers`: so many workers of a server write, nil for
    #   all
    # - `namespace`: of CloudWatch's metrics, for :emf
    LogOptions = Data.define(:to, :every, :format, :sample, :workers, :namespace) do
      # @param value [Object] of the configuration, checked there
      # @return [LogOptions]
      def self.from(value)
        new(**(value.is_a?(Hash) ? value : {to: value}))
      end

      def initialize(to: :stdout, every: 60, format: :json, sample: 1.0, workers: nil, namespace: "Holdup")
        super
      end

      # A fork that has not yet been told which worker it is may become any.
      # @param header [Segment::Header] of the process
      # @return [Boolean] whether this process writes
      def chosen?(header)
        return true unless workers
        header.worker_index.negative? ? header.generation.zero? : header.worker_index < workers
      end
    end
  end
end
