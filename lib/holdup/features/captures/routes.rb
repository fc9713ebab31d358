# frozen_string_literal: true

require "uri"
require "zlib"

module Holdup
  module Captures
    # The addresses of captures in the dashboard, besides their pages.
    class Routes
      KEPT = "private, max-age=86400, immutable"
      # Of a posted form.
      MOST_BYTES = 1000

      # @param app [Web::App]
      def initialize(app)
        @app = app
      end

      # @param request [Roda::RodaRequest]
      def call(request)
        request.post("captures") { order(request) }
        request.is("captures", String, String) { |id, format| captured(id, format) }
      end

      private

      def order(request)
        pid = Queries::OptionValues.whole("pid", form["pid"].to_s, 1..2**31)
        @app.context.ordering.order(pid)
        request.redirect(@app.address("captures", {"asked" => pid}), 303)
      end

      # Its bytes never change.
      def captured(id, format)
        found = Reader::Files.new(@app.context.captures).call(id, format) or return
        headers = @app.response.headers
        headers.merge!("content-type" => found.type, "cache-control" => KEPT, "vary" => "accept-encoding")
        headers["content-disposition"] = %(attachment; filename="#{found.name}") if found.name
        packed(found.body)
      end

      # Columns of numbers compress well, and there are millions of them.
      def packed(body)
        return body unless @app.env["HTTP_ACCEPT_ENCODING"].to_s.match?(/\bgzip\b/)
        @app.response.headers["content-encoding"] = "gzip"
        Zlib.gzip(body, level: Zlib::BEST_SPEED)
      end

      def form
        URI.decode_www_form(@app.env["rack.input"]&.read(MOST_BYTES).to_s).to_h
      rescue ArgumentError
        {}
      end
    end
  end
end
