# frozen_string_literal: true

module Holdup
  module Capture
    # What somebody asks a process for: one number in its segment (docs/segment.md), which costs the process nothing to look
    # at, and whoever may write to the segment may ask.
    #
    # - `asked_ms`: when it was asked, ms since 1970; tells one request from the next
    # - `seconds`: for how long, in SECONDS
    Request = Data.define(:asked_ms, :seconds) do
      # @param number [Integer] as it stands in the segment
      # @return [Request, nil] nil for none
      def self.decode(number)
        seconds = number >> 48
        new(asked_ms: number & ((1 << 48) - 1), seconds:) if Request::SECONDS.cover?(seconds)
      end

      # @return [Integer] as it stands in the segment
      def encode = seconds << 48 | asked_ms

      # @param now_ms [Integer]
      # @return [Boolean] whether whoever asked is still waiting
      def fresh?(now_ms) = (now_ms - asked_ms).abs <= Request::PATIENCE_MS
    end

    Request::SECONDS = (1..3600)
    Request::PATIENCE_MS = 15_000
  end
end
