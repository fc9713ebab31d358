# frozen_string_literal: true

module Holdup
  module Capture
    # What somebody asks a process for: one number in its segment (docs/segment.md), which costs the process
    # nothing to look at, and whoever may write to the segment may ask.
    #
    # - `asked_ms`: when it was asked, ms since 1970; tells one request from the next
    # - `seconds`: for how long, in SECONDS; `attended`: whether who asked takes the file, else the collector
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

      # @param now_ms [Integer]
      # @return [Boolean] whether whoever asked is still waiting
      def fresh?(now_ms)
        (now_ms - asked_ms).abs <= Request::PATIENCE_MS
      end
    end

    Request::SECONDS = (1..3600)
    Request::UNATTENDED = 1 << 63
    Request::PATIENCE_MS = 15_000
  end
end
