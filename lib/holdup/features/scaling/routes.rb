# frozen_string_literal: true

module Holdup
  module Scaling
    # What the collector of this host has left for autoscalers, at an address of the dashboard.
    class Routes
      # @param app [Web::App]
      def initialize(app)
        @app = app
      end

      # @param request [Roda::RodaRequest]
      def call(request)
        request.is(ScalingSignal::FILE) { scale }
      end

      private

      def scale
        document = Export::Exporters::MetricsFile.new(@app.context.dir, name: ScalingSignal::FILE,
          fresh_s: Export::MetricsServer::SCALE_FRESH_S).read
        type = document ? Export::MetricsServer::JSON_TYPE : Export::MetricsServer::PLAIN_TYPE
        @app.response.status = 503 unless document
        @app.response.headers["content-type"] = type
        document || "#{@app.word(:scale_missing)}\n"
      end
    end
  end
end
