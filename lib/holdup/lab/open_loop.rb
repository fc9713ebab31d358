# frozen_string_literal: true

module Holdup
  module Lab
    # The built-in load: an open loop (see Load) out of this process. The same seed sends the same requests.
    class OpenLoop
      # What a load's client saw. `total`: Outcome of all routes; `routes`: {label => Outcome}; `seconds`:
      # until the last answer; `mean_ns`: mean latency, of loads whose requests don't tell the server when
      # they were sent
      Seen = Data.define(:total, :routes, :seconds, :mean_ns) do
        def initialize(total:, routes:, seconds:, mean_ns: nil)
          super
        end

        # @return [Float] answers per second
        def throughput = total.answered / seconds
      end

      # @return [Symbol] :open: each request goes out when it is due, and tells when that was; others see
      #   LoadTool
      def kind = :open

      # @param target [Target]
      # @param routes [Array<Route>]
      # @param rate [Numeric] requests per second
      # @param seconds [Numeric]
      # @param seed [Integer]
      # @param progress [#call, nil] see Load
      # @return [Seen]
      def call(target, routes:, rate:, seconds:, seed: 1, progress: nil)
        load = Load.new(target:, arrivals: Arrivals.new(routes:, rate:, seconds:, seed:), progress:)
        routes = load.run
        Seen.new(total: load.total, routes:, seconds: [load.elapsed_s, seconds].max)
      end
    end
  end
end
