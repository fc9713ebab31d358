# frozen_string_literal: true

require "gvl_metrics_middleware"
require "tools"

module Bench
  module Tools
    # gvl_metrics_middleware with every job measured, and a reporter that does nothing with the figures.
    class GvlMetricsMiddleware < None
      def start
        ::GvlMetricsMiddleware.configure do |config|
          config.sampling_rate = 1.0
          config.sidekiq { |*figures, **about| nil }
        end
      end

      def jobs(config)
        config.server_middleware { |chain| chain.prepend(::GvlMetricsMiddleware::Sidekiq) }
      end
    end
  end
end
