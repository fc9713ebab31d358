# frozen_string_literal: true

require_relative "clock_step"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Queue time of a request: from the proxy's X-Request-Start or X-Queue-Start to now, less the time in
    # which Puma read the request's body.
    #
    # Proxies send seconds, ms, us or ns since 1970, with or without "t="; the number's size decides which. A
    # start in the future means that clocks differ: zero, and counted. More than an hour is ignored, and so is
    # a start in steps of 10 ms and more (ClockStep), unless requests wait for much longer.
    #
    # It is also a resource of the runtime: the process's profile says which step made queue time unknown.
    class QueueTime
      include Runtime::Resource

      FALLBACK = "HTTP_X_QUEUE_START"
      BODY_WAIT = "puma.request_body_wait" # milliseconds
      LONGEST_HEADER = 64
      # Matches the first number when several proxies have added theirs.
      FORMAT = /\A(?:t=)?\d{9,19}(?:\.\d{0,9})?\s*(?:,|\z)/
      ABSURD_NS = 3_600_000_000_000
      # Least number and its unit in ns: 1e8 s is the year 1973, which in ms is 1e11, and so on.
      UNITS = [[1e17, 1], [1e14, 1_000], [1e11, 1_000_000], [1e8, 1_000_000_000]].freeze

      # @return [String] the header's key in a Rack environment
      attr_reader :key

      # @param on_clamp [#call] called for each start in the future
      def initialize(header:, clock:, on_clamp:)
        @key = "HTTP_#{header.upcase.tr("-", "_")}".freeze
        @clock = clock
        @on_clamp = on_clamp
        @steps = {}
      end

      # @param env [Hash] the Rack environment
      # @return [Integer, nil] ns; nil: unknown
      def call(env)
        header = env[@key] || env[FALLBACK]
        started = parse(header)
        return unless started
        waited = @clock.realtime_ns - started
        return if waited > ABSURD_NS
        return unless step(header).fine_enough?(started, waited)
        return clamp if waited < 0
        [waited - body_wait(env[BODY_WAIT]), 0].max
      end

      def parse(header)
        return unless valid?(header)
        digits = header.start_with?("t=") ? header.byteslice(2, LONGEST_HEADER) : header
        number = digits.to_f
        _, factor = UNITS.find { |least, _| number >= least }
        (number * factor).to_i if factor
      end

      def install = nil

      # @return [Hash{String => Object}] of the proxy that sends most requests, if its clock is too coarse
      def profile
        step = @steps.values.max_by(&:seen)
        return {} unless step&.known? && step.too_coarse?
        {"queue.step_ms" => step.step_ns / 1_000_000, "queue.header" => name}
      end

      private

      # The header as people write it: HTTP_X_REQUEST_START is X-Request-Start.
      def name = @key.delete_prefix("HTTP_").split("_").map(&:capitalize).join("-")

      # Proxies write their times with different numbers of digits, so the length separates most of them.
      def step(header)
        @steps[header.bytesize] ||= ClockStep.new
      end

      def valid?(header)
        return false unless header.is_a?(String) && header.bytesize <= LONGEST_HEADER
        header.ascii_only? && FORMAT.match?(header)
      end

      def clamp
        @on_clamp.call
        0
      end

      def body_wait(milliseconds)
        milliseconds.is_a?(Numeric) ? (milliseconds * 1_000_000).to_i : 0
      end
    end
  end
end
