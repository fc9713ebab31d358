# frozen_string_literal: true

module Holdup
  # The most memory that requests and jobs of each name took at once, by those that were watched.
  class MemoryPeaks
    # Names in a process's profile, those with the largest peaks.
    REPORTED_NAMES = 8

    # Of one name: how many were watched; the largest peak, with objects that waited for a collection; how
    # much of that a collection left, which is in use for certain; and the sum of all peaks.
    MemoryPeak = Data.define(:watched, :bytes, :live_bytes, :sum_bytes) do
      # @return [MemoryPeak] of the watches of both
      def +(other)
        larger = (other.bytes > bytes) ? other : self
        with(watched: watched + other.watched, bytes: larger.bytes, live_bytes: larger.live_bytes,
          sum_bytes: sum_bytes + other.sum_bytes)
      end

      def mean_bytes = sum_bytes.fdiv(watched)
    end

    def initialize
      @peaks = {}
    end

    # One that was watched has ended.
    # @param bytes [Integer] see MemoryPeak
    # @param live_bytes [Integer] likewise
    def add(name, bytes, live_bytes)
      one = MemoryPeak.new(watched: 1, bytes:, live_bytes:, sum_bytes: bytes)
      known = @peaks[name]
      @peaks[name] = known ? known + one : one
    end

    # @return [Hash{String => Object}] for the segment's profile: see docs/internals/segment.md
    def facts
      known = @peaks.select { |_, peak| peak.bytes.positive? }
      largest = known.max_by(REPORTED_NAMES) { |_, peak| peak.bytes }
      largest.each_with_index.with_object({}) do |((name, peak), index), facts|
        facts["peak.#{index}.name"] = name
        peak.to_h.each { |part, number| facts["peak.#{index}.#{part}"] = number }
      end
    end

    # @param facts [#[]] by names as symbols, of a process's profile
    # @return [Hash{String => MemoryPeak}] by name
    def self.parse(facts)
      prefixes = Array.new(REPORTED_NAMES) { |index| "peak.#{index}" }
      prefixes.each_with_object({}) do |prefix, peaks|
        name = facts[:"#{prefix}.name"]
        parts = MemoryPeak.members.to_h { |part| [part, facts[:"#{prefix}.#{part}"]] }
        peaks[name] = MemoryPeak.new(**parts) if name && parts.values.all?
      end
    end
  end
end
