# frozen_string_literal: true

module Holdup
  class Collector
    # One process as a tick saw it: what its segment and the folder say of it.
    class ProcessSnapshot
      # What each sample has of the profile: short, and asked of every span of time.
      PROFILE_KEYS = %w[jit. killer.].freeze

      attr_reader :header

      # @param ended [Boolean] whether nothing more will come from it
      def initialize(header:, setting:, entry:, ended:)
        @header = header
        @setting = setting
        @entry = entry
        @ended = ended
      end

      def pid = header.pid

      def ended? = @ended

      # @return [Array] pid and start identify a process for good
      def key = [header.pid, header.start]

      # A process of another container has a pid that may be another process here: the system can't be asked.
      # @return [Boolean] whether the system can be asked about it
      def here? = @entry.alive

      # @return [Boolean] whether what ends it counts the memory of all workers and their master
      def ended_with_others? = profile["killer.of"] == "all"

      # @return [Boolean] whether its segment still grows
      def growing?
        here? && !header.closed?
      end

      # @return [Integer] of its segment
      def bytes
        File.size(@entry.path)
      rescue SystemCallError
        0
      end

      # @return [Integer] seconds since 1970 of its last tick
      def heartbeat_s = header.heartbeat_ns / 1_000_000_000

      # @return [Hash{Symbol => Object}] what it says itself, without its levers
      def facts
        {
          pid:, name: header.process_name, setting: @setting.fingerprint, generation: header.generation,
          parent: header.parent, start: header.start, since_s: header.created_ns / 1_000_000_000,
          ticked_ns: header.heartbeat_ns, server: profile["server"], ended: @ended || nil,
          **header.counters, **header.gauges, **pools, **profile_facts
        }.compact
      end

      # @return [Hash{Symbol => Object}] "lever.threads.value" ...
      def levers
        profile.select { |key, _| key.start_with?("lever.") }.transform_keys(&:to_sym)
      end

      private

      def profile_facts
        profile.select { |key, _| key.start_with?(*PROFILE_KEYS) }.transform_keys(&:to_sym)
      end

      def pools
        header.pools.each_with_index.with_object({}) do |(pool, index), facts|
          facts[:"pool.#{index}"] = profile["pool.#{index}"]
          pool.compact.each { |key, value| facts[:"pool.#{index}.#{key}"] = value }
        end
      end

      # Read lazily: most ticks need none. What can't be read is left to the next sample.
      def profile
        @profile ||= @entry.read(&:profile) || {}
      rescue SegmentError, DamagedData, SystemCallError
        @profile = {}
      end
    end
  end
end
