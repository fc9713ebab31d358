# frozen_string_literal: true

module Holdup
  module Capture
    # What a client asks a process for: one number in its segment (docs/segment.md), which costs the process
    # nothing to look at. Everybody who may write to the segment may ask.
    #
    # - `asked_ms`: when it was asked, ms since 1970; identifies the request
    # - `seconds`: for how long, in SECONDS; `attended`: whether the client takes the file, else the collector
    #   does
    Request = Data.define(:asked_ms, :seconds, :attended) do
      def initialize(asked_ms:, seconds:, attended: true)
        super
      end

      # @param number [Integer] as it stands in the segment
      # @return [Request, nil] nil for none
      def self.decode(number)
        seconds = number >> 48 & ((1 << 15) - 1)
        if Request::SECONDS.cover?(seconds)
          new(asked_ms: number & ((1 << 48) - 1), seconds:, attended: number < Request::UNATTENDED)
        end
      end

      # @return [Integer] as it stands in the segment
      def encode
        (attended ? 0 : Request::UNATTENDED) | seconds << 48 | asked_ms
      end

      def fresh?(now_ms)
        (now_ms - asked_ms).abs <= Request::PATIENCE_MS
      end
    end

    Request::SECONDS = (1..3600)
    Request::UNATTENDED = 1 << 63
    Request::PATIENCE_MS = 15_000

    # Which unit a capture waits for: the first that stalled, or took, longer than so many nanoseconds. In a
    # process's segment it is one number, as the Request is.
    Trigger = Data.define(:what, :over_ns) do
      # @param number [Integer] as it stands in the segment
      # @return [Trigger, nil] nil for none
      def self.decode(number)
        what = Trigger::WHATS.key(number >> 48)
        new(what:, over_ns: number & ((1 << 48) - 1)) if what
      end

      # @param text [String] such as "stall > 50 ms"
      # @return [Trigger, nil] nil when it is none
      def self.parse(text)
        what, number, unit = Trigger::TEXT.match(text)&.captures
        over_ns = (Rational(number) * Trigger::UNITS.fetch(unit)).round if what
        new(what: what.to_sym, over_ns:) if over_ns&.between?(1, (1 << 48) - 1)
      end

      # @return [Integer] as it stands in the segment
      def encode
        Trigger::WHATS.fetch(what) << 48 | over_ns
      end

      # @return [String] as it can be parsed again
      def to_s
        unit, ns = Trigger::UNITS.reverse_each.find { |_, ns| (over_ns % ns).zero? } || ["us", 1_000]
        "#{what} > #{over_ns.fdiv(ns).to_s.delete_suffix(".0")} #{unit}"
      end

      # @return [Hash{Symbol => Integer}] ns by what they limit
      def to_h = {what => over_ns}
    end

    Trigger::WHATS = {stall: 1, wall: 2}.freeze
    Trigger::UNITS = {"us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze
    Trigger::TEXT = /\A(stall|wall)\s*>\s*(\d{1,9}(?:\.\d{1,9})?)\s*(us|ms|s)\z/
  end
end
