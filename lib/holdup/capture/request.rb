# frozen_string_literal: true

module Holdup
  module Capture
    # A client's request to a process: one number in its segment (docs/segment.md), which costs the process
    # nothing to check. Anyone who may write to the segment may ask.
    #
    # - `asked_ms`: time of the request, ms since 1970; identifies it
    # - `seconds`: length, in SECONDS; `attended`: whether the client takes the file, else the collector
    Request = Data.define(:asked_ms, :seconds, :attended) do
      def initialize(asked_ms:, seconds:, attended: true)
        super
      end

      def self.decode(number)
        seconds = number >> 48 & ((1 << 15) - 1)
        if Request::SECONDS.cover?(seconds)
          new(asked_ms: number & ((1 << 48) - 1), seconds:, attended: number < Request::UNATTENDED)
        end
      end

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

    # The unit that a capture waits for: the first that stalled, or took, longer than so many nanoseconds.
    # Like the Request, it is one number in the process's segment.
    Trigger = Data.define(:what, :over_ns) do
      def self.decode(number)
        what = Trigger::WHATS.key(number >> 48)
        new(what:, over_ns: number & ((1 << 48) - 1)) if what
      end

      # @param text [String] such as "stall > 50 ms"
      def self.parse(text)
        what, number, unit = Trigger::TEXT.match(text)&.captures
        over_ns = (Rational(number) * Trigger::UNITS.fetch(unit)).round if what
        new(what: what.to_sym, over_ns:) if over_ns&.between?(1, (1 << 48) - 1)
      end

      def encode
        Trigger::WHATS.fetch(what) << 48 | over_ns
      end

      def to_s
        unit, ns = Trigger::UNITS.reverse_each.find { |_, ns| (over_ns % ns).zero? } || ["us", 1_000]
        "#{what} > #{over_ns.fdiv(ns).to_s.delete_suffix(".0")} #{unit}"
      end

      def to_h = {what => over_ns}
    end

    Trigger::WHATS = {stall: 1, wall: 2}.freeze
    Trigger::UNITS = {"us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze
    Trigger::TEXT = /\A(stall|wall)\s*>\s*(\d{1,9}(?:\.\d{1,9})?)\s*(us|ms|s)\z/
  end
end
