# frozen_string_literal: true

module Holdup
  module Export
    # What the collector of this host has left for Prometheus, at an address of the dashboard.
    class Routes
      # @param app [Web::App]
      def initialize(app)
        @app = app
      end

      # @param request [Roda::RodaRequest]
      def call(request)
        request.is("metrics") { metrics }
      end

      private

      def metrics
        text = Exporters::MetricsFile.new(@app.context.dir).read
        @app.response.status = 503 unless text
        @app.response.headers["content-type"] = MetricsServer::CONTENT_TYPE
        text || "#{@app.word(:metrics_missing)}\n"
      end
    end
  end
end
