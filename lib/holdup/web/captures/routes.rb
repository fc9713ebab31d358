# frozen_string_literal: true

require "uri"
require "zlib"

module Holdup
  class Web
    class Captures
      # What the application answers about captures beside their pages.
      module Routes
        KEPT = "private, max-age=86400, immutable"
        # Of a form that is sent here.
        MOST_BYTES = 1000

        private

        def order
          pid = Queries::OptionValues.whole("pid", form["pid"].to_s, 1..2**31)
          context.ordering.order(pid)
          request.redirect(view("captures", query).url("captures", {"asked" => pid}), 303)
        end

        # Its bytes never change.
        def captured(id, format)
          found = Captures::Files.new(context.captures).call(id, format) or return
          response.headers.merge!("content-type" => found.type, "cache-control" => KEPT,
            "vary" => "accept-encoding")
          response.headers["content-disposition"] = %(attachment; filename="#{found.name}") if found.name
          packed(found.body)
        end

        # Columns of numbers pack well, and there are millions of them.
        def packed(body)
          return body unless env["HTTP_ACCEPT_ENCODING"].to_s.match?(/\bgzip\b/)
          response.headers["content-encoding"] = "gzip"
          Zlib.gzip(body, level: Zlib::BEST_SPEED)
        end

        def form
          URI.decode_www_form(env["rack.input"]&.read(MOST_BYTES).to_s).to_h
        rescue ArgumentError
          {}
        end
      end
    end
  end
end
