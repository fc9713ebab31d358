# frozen_string_literal: true

module Holdup
  # Figures for other systems, from what the collector has stored. They run in the collector's process, except
  # that the dashboard serves the text that the collector has left in the folder of the segments.
  module Exporters
    # @param store [#commit, #progress, #rollup, #prune, #close] of a collector
    # @param export [ConfigurationKeys::PrometheusExport, nil] nil: nothing is exported
    # @param dir [String] folder of the segments
    # @return [Object] the store, which exports what is committed to it. Without the exporter's gem it is
    #   unchanged, which the log says with what to install
    def self.around(store, export, dir:, log:, clock: Clock.new)
      return store unless export
      ExportingStore.new(store, Prometheus.new(export, dir:, log:, clock:), log:)
    rescue LoadError => error
      raise unless error.path.to_s.start_with?("prometheus")
      log.warn("config.prometheus needs the gem prometheus-client, which is not installed, so nothing is " \
        "exported: add `gem \"prometheus-client\"` to the Gemfile, or run `gem install prometheus-client`")
      store
    end
  end
end
