# frozen_string_literal: true

module Holdup
  class Collector
    # Makes autopsies of processes that were lost with their collector, as when a container is killed: all
    # collectors of a fleet write how far they are, and what was in flight then, into one store.
    #
    # One that fell silent while its processes had long requests or jobs is lost. That its last round was long
    # ago says nothing, because clocks differ. It has to stay the last one for SILENT_NS while another
    # collector looks, and what that one writes itself has to arrive: else it is the store that was away. Of
    # those that do not fall silent, the first by name writes the autopsies, so that each is made once. Where
    # two do it nevertheless, the store keeps one.
    class LostProcesses
      # A collector writes every ten seconds while it has long requests or jobs.
      SILENT_NS = 5 * MINUTE_S * NS
      # Between two looks.
      EVERY_NS = MINUTE_S * NS
      # Looks that are further apart say nothing of the time between them.
      GAP_NS = 3 * EVERY_NS
      # What is older was found, or there was nobody to find it.
      OLDEST_NS = 86_400 * NS

      # The last round of a collector. `since_ns`: for how long it has been the last one, by our own clock
      SeenRound = Data.define(:at_ns, :since_ns)
      private_constant :SeenRound

      # @param store [#collector_checkpoints, #deaths, #settings, #processes, #sums]
      def initialize(store:)
        @store = store
        @seen = {}
      end

      # @param key [Array<String>] of the caller's CollectorCheckpoint
      # @return [Array<Autopsy>] that the store has not yet
      # @raise [StoreError]
      def to_a(key, now_ns)
        return [] if @looked_ns && (now_ns - @looked_ns).abs < EVERY_NS
        checkpoints = @store.collector_checkpoints
        look(checkpoints, now_ns)
        return [] unless lasted_ns(key, now_ns) < GAP_NS
        silent, others = checkpoints.partition { |one| lasted_ns(one.key, now_ns) >= SILENT_NS }
        lost = silent.flat_map(&:last_round).select { |autopsy| now_ns - autopsy.last_round_ns < OLDEST_NS }
        return [] if lost.empty? || others.map(&:key).min != key
        unknown(lost).map { |autopsy| complete(autopsy, now_ns) }
      end

      private

      def look(checkpoints, now_ns)
        @seen = {} unless @looked_ns && (now_ns - @looked_ns).between?(0, GAP_NS)
        @looked_ns = now_ns
        @seen = checkpoints.to_h do |checkpoint|
          seen = @seen[checkpoint.key]
          same = seen && seen.at_ns == checkpoint.at_ns
          [checkpoint.key, same ? seen : SeenRound.new(checkpoint.at_ns, now_ns)]
        end
      end

      # For how long it has been the last round, infinite for a collector that has not written any.
      def lasted_ns(key, now_ns)
        seen = @seen[key]
        seen ? now_ns - seen.since_ns : Float::INFINITY
      end

      def unknown(autopsies)
        first_s, last_s = autopsies.map(&:at_s).minmax
        known = @store.deaths(first_s, last_s + 1).to_set(&:source)
        autopsies.reject { |autopsy| known.include?(autopsy.source) }
      end

      # With what the store knows of the time before.
      def complete(autopsy, now_ns)
        at_s = autopsy.at_s
        samples = @store.processes(at_s - Autopsies::MEMORY_S, at_s + MINUTE_S)
        own = samples.select do |sample|
          sample[:host] == autopsy.host && sample[:pid] == autopsy.pid &&
            sample[:since_s] == autopsy.since_ns / NS
        end
        memory = own.filter_map { |sample| sample.slice(:at_s, :rss_bytes) if sample[:rss_bytes] }
        autopsy.with(gone_ns: now_ns, memory:, shares: shares(autopsy))
      end

      def shares(autopsy)
        setting = @store.settings.find { |one| one.fingerprint == autopsy.setting } or return {}
        to_s = autopsy.at_s / MINUTE_S * MINUTE_S
        Autopsies::LoadShares.new(@store, autopsy.host, setting, to_s).to_h
      end
    end
  end
end
