# frozen_string_literal: true

require "zlib"

module Holdup
  module Notify
    # Runs `holdup notify --send` once a minute, in a process of its own. Reading an hour of a store and
    # waiting for a receiver take memory and seconds that the collector should not have, and a process can be
    # ended: whatever a receiver does, no round waits for it.
    class CollectorPart
      EVERY_S = MINUTE_S
      # Ten messages to receivers that never answer.
      LONGEST_S = 120
      # Largest share of one core.
      SHARE = 0.01
      MOST_BYTES = 100_000
      COMMAND = [*Holdup::Collector::ChildCommand::HOLDUP, "notify", "--send"].freeze

      # @param store [String] URL, which may have a password: the child gets it in its environment
      # @param dir [String] folder of the segments
      def initialize(store:, dir:, host:, log:, clock:, command: COMMAND)
        child = Holdup::Collector::ChildCommand.new(command,
          cpu_s: Holdup::Collector::ChildCommand::CPU_S, most_bytes: MOST_BYTES)
        @log = log
        @environment = {"HOLDUP_STORE" => store, "HOLDUP_DIR" => dir}
        @recurring = Holdup::Collector::ChildCommand::RecurringCommand.new(child, log:, clock:,
          longest_s: LONGEST_S, every_s: LONGEST_S, what: "nobody is told", by_hand: "holdup notify --send",
          first_s: clock.realtime_s + Zlib.crc32(host) % EVERY_S)
      end

      # Never waits.
      def call
        answer = @recurring.poll(environment: @environment) or return
        answer.fetch(:lines, []).each { |line| @log.warn(line) }
        failures = answer.fetch(:failures, [])
        failures.each { |line| @log.warn(line) unless @failures&.include?(line) }
        @failures = failures
        @recurring.rest(EVERY_S, share: SHARE)
      end

      def close = @recurring.close
    end
  end
end
