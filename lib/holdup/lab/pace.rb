# frozen_string_literal: true

module Holdup
  module Lab
    # Whether a server kept up with an open load. Who can't has a queue that grows for as long as one
    # measures, so that what its requests wait is a figure of the measurement and not of the server. (A first
    # rate that is too much is slow from the start on: no lower one tells.)
    module Pace
      # Of what was sent: who serves less can't keep up.
      SERVED = 0.95
      NS = 1_000_000_000

      # @param sent [Integer] requests; chance makes them a little more or less than the rate
      # @param throughput [Float] answers per second, until the last one
      # @param seconds [Numeric] in which they were sent
      # @param response_ns [Numeric] of a request: also where nothing queues the last answer comes after the
      #   end
      # @return [Boolean]
      def self.kept?(sent:, throughput:, seconds:, response_ns:)
        throughput >= SERVED * sent / (seconds + response_ns / NS.to_f)
      end
    end
  end
end
