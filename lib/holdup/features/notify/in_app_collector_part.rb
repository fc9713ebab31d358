# frozen_string_literal: true

module Holdup
  module Notify
    # What a collector that is a thread of the application calls after its rounds, in place of CollectorPart:
    # only inside the application there is `Rails.error`, or its block. A round waits for receivers, so this
    # is for development.
    class InAppCollectorPart
      EVERY_S = MINUTE_S
      # Largest share of the time.
      SHARE = 0.01

      # @param store [#notices, #commit] open, of the collector
      # @param dir [String] folder of the segments
      # @param env [Hash{String => String}, ENV]
      def initialize(configuration, store:, dir:, log:, env:, clock: Clock.new)
        @configuration = configuration
        @store = store
        @outbox_file = SendCommand::OutboxFile.new(dir)
        @log = log
        @clock = clock
        @words = View::Words.new(CLI::Places.language(env))
        @channels = Channels.of(configuration.notify_plan, log: ->(line) { log.warn(line) })
        @due_ns = 0
      end

      # @return [void]
      def call
        began_ns = @clock.monotonic_ns
        return if began_ns < @due_ns
        failures = send_due.reject { |one| one[:key] == :sent }
        log_failures(failures)
        took_ns = @clock.monotonic_ns - began_ns
        @due_ns = began_ns + [EVERY_S * NS, took_ns / SHARE].max
      end

      def close = nil

      private

      def send_due
        SendCommand.new(@configuration, channels: @channels, outbox_file: @outbox_file, words: @words,
          now_s: @clock.realtime_s, open_store: ->(&block) { block.call(@store) }).call
      end

      # The same failure once.
      def log_failures(failures)
        sentences = NoticeSentences.new(words: @words)
        lines = failures.map { |one| sentences.outcome(one[:channel], one) }.uniq
        (lines - @logged.to_a).each { |line| @log.warn(line) }
        @logged = lines
      end
    end
  end
end
