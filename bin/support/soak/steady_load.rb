# frozen_string_literal: true

require "holdup/loader"
require_relative "../demo/traffic"

module Soak
  # The traffic of the demo at a steady rate, which can be ended early, and each answer with its time.
  class SteadyLoad < Holdup::Lab::Load
    # When a request was due (seconds of the monotonic clock), how long its answer took, and its status; nil
    # without an answer.
    TimedAnswer = Data.define(:at_s, :latency_ns, :status, :expected)

    # @return [Array<TimedAnswer>] so far; only this load appends to it
    attr_reader :answers

    # @param options [SoakOptions]
    # @param seconds [Numeric]
    # @param after_s [Numeric] seconds before the first request
    def self.to(url, options, seconds:, after_s: 0)
      routes = Demo::Traffic.routes
      arrivals = Arrivals.new(routes:, rate: options.rate, seconds:, seed: options.seed).map do |arrival|
        arrival.with(at_ns: arrival.at_ns + (after_s * 1e9).round)
      end
      new(target: Target.new(url), arrivals:)
    end

    def initialize(...)
      super
      @answers = []
    end

    # Sends nothing any more; `run` ends with the last answer.
    def end_early = @ended = true

    # @return [Integer] requests that were answered
    def answered = @answers.count(&:status)

    # @return [Integer] requests without an answer in time
    def lost = @answers.count { |answer| answer.status.nil? }

    # @return [Integer] answers with a status that the shop does not intend
    def unexpected = @answers.count { |answer| answer.status && !answer.expected }

    private

    def step
      @arrivals.clear if @ended
      super
    end

    def finish(exchange, now)
      status = exchange.status if exchange.done?
      route = exchange.arrival.route
      at_s = (@start_ns + exchange.arrival.at_ns).fdiv(1_000_000_000)
      @answers << TimedAnswer.new(at_s:, latency_ns: now - exchange.arrival.at_ns, status:,
        expected: route.expected.include?(status))
      super
    end
  end
end
