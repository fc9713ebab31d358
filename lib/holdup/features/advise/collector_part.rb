# frozen_string_literal: true

require "zlib"

module Holdup
  module Advise
    # Runs `holdup advise --keep` now and then: advice for a fleet takes ten seconds and 400 MB to compute,
    # and a reader should get it at once.
    class CollectorPart
      # Seconds from one run to the next: each computes one advice at most.
      EVERY_S = 120
      # Largest share of one core: enough for a thousand processes.
      SHARE = 0.01
      MOST_BYTES = 10_000
      # Each host begins up to so much later, at another time: the others find the advice computed.
      SPREAD_S = 120
      COMMAND = [*Collector::ChildCommand::HOLDUP, "advise", "--keep", "--json"].freeze

      # @param store [String] URL, which may have a password: the child gets it in its environment
      def initialize(store:, host:, log:, clock:, command: COMMAND)
        child = Collector::ChildCommand.new(command, cpu_s: Collector::ChildCommand::CPU_S,
          most_bytes: MOST_BYTES)
        @clock = clock
        @spread_s = Zlib.crc32(host) % SPREAD_S
        @environment = {"HOLDUP_STORE" => store}
        longest_s = Collector::ChildCommand::LONGEST_S
        @recurring = Collector::ChildCommand::RecurringCommand.new(child, log:, clock:, longest_s:,
          every_s: longest_s,
          what: "no advice is kept ready", by_hand: "holdup advise --keep",
          first_s: clock.realtime_s + @spread_s)
      end

      # Never waits.
      def call
        answer = @recurring.poll(environment: @environment) or return
        pause_s = answer[:next_s].to_i - @clock.realtime_s + @spread_s
        @recurring.rest([EVERY_S, pause_s].max, share: SHARE)
      end

      def close = @recurring.close
    end
  end
end
