# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # Jobs per second that the run of the baseline lets expect of so many threads, by three ways.
      PredictedThroughput = Data.define(:threads, :replay, :closed, :amdahl) do
        # @param forecast [Forecast]
        # @param threads [Integer]
        # @return [PredictedThroughput]
        def self.of(forecast, threads)
          new(threads:, **%i[replay closed amdahl].to_h { |way| [way, forecast.public_send(way, threads)] })
        end
      end
    end
  end
end
