# frozen_string_literal: true

module Holdup
  module Servers
    class Sidekiq
      # How long a command to Redis takes there and back. Sidekiq's heartbeat measures it every ten seconds
      # and keeps the last five; that costs Redis nothing more. With the GVL in demand the time has the wait
      # for it in it, as every command of a job has.
      module RoundTrip
        NS_PER_US = 1_000

        # @param readings [Enumerable<Integer>] in microseconds, 0 for none yet
        # @return [Integer, nil] the median in ns, nil before the first heartbeat
        def self.median_ns(readings = ::Sidekiq::Launcher::RTT_READINGS.buffer)
          known = readings.reject(&:zero?).sort
          known[known.size / 2] * NS_PER_US if known.any?
        end
      end
    end
  end
end
