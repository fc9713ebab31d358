# frozen_string_literal: true

module Holdup
  class Web
    # What goes with every answer: nothing of another host, nothing inline, no frame of somebody else's, no
    # cookie.
    module Headers
      POLICY = {"default-src" => "'none'", "style-src" => "'self'", "img-src" => "'self' data:",
                "script-src" => "'self'", "connect-src" => "'self'",
                "font-src" => "'self'", "form-action" => "'self'", "frame-ancestors" => "'self'",
                "base-uri" => "'none'"}.freeze
      ALL = {"content-security-policy" => POLICY.map { |rule, from| "#{rule} #{from}" }.join("; "),
             "x-content-type-options" => "nosniff",
             "referrer-policy" => "same-origin", "x-frame-options" => "SAMEORIGIN",
             "cache-control" => "no-store", "vary" => "accept-language"}.freeze
    end
  end
end
