# frozen_string_literal: true

require_relative "../../capture/rule"

module Holdup
  module ConfigurationKeys
    module Types
      # What processes capture by themselves: a rule, as a Hash or as one line.
      CaptureRule = Data.define do
        def expected
          '"stall > 50 ms", "wall > 2 s", "wall > p99 x 2", joined by "or", or {stall: "50 ms", wall: "p99 x 2", only: "GET /orders", every: 60, ' \
            "events: 200_000, stacks: true} (every: 1 to 86400 s, events: 1024 to 4194304; in the environment stall > 50 ms, only=GET /orders), or :off"
        end

        def parse(text)
          (text.downcase == "off") ? :off : text
        end

        def valid?(value)
          value == :off || !Capture::Rule.from(value).nil?
        end
      end
    end
  end
end
