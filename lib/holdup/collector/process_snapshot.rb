# frozen_string_literal: true

module Holdup
  class Collector
    # One process at a tick, from its segment and the folder.
    class ProcessSnapshot
      # Parts of the profile that each sample has: short, and needed for every span.
      PROFILE_KEYS = %w[jit. killer. waited. waiting. retained. peak.].freeze

      attr_reader :header, :setting

      # @param ended [Boolean] whether it will write no more
      def initialize(header:, setting:, entry:, ended:)
        @header = header
        @setting = setting
        @entry = entry
        @ended = ended
      end

      def pid = header.pid

      def ended? = @ended

      # Pid and start identify a process permanently.
      def key = [header.pid, header.start]

      # Whether the system knows it: a process of another container may share its pid with one here.
      def here? = @entry.here?(header)

      # Whether its worker killer counts the memory of all workers and their master.
      def ended_with_others? = profile["killer.of"] == "all"

      def growing?
        here? && !header.closed?
      end

      # Size of its segment.
      def bytes
        File.size(@entry.path)
      rescue SystemCallError
        0
      end

      # Its last tick.
      def heartbeat_s = header.heartbeat_ns / 1_000_000_000

      # What it reports itself, without its levers.
      def facts
        {
          pid:, name: header.process_name, setting: @setting.fingerprint, generation: header.generation,
          parent: header.parent, start: header.start, since_s: header.created_ns / 1_000_000_000,
          ticked_ns: header.heartbeat_ns, server: profile["server"], ended: @ended || nil,
          **header.counters, **header.gauges, **pools, **profile_facts
        }.compact
      end

      # @return [Hash{Symbol => Object}] :"lever.threads.value" ...
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

      # Read lazily: most ticks need none. An unreadable profile is left to the next sample.
      def profile
        @profile ||= @entry.read(&:profile) || {}
      rescue SegmentError, DamagedData, SystemCallError
        @profile = {}
      end
    end
  end
end
