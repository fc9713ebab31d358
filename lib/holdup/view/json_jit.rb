# frozen_string_literal: true

module Holdup
  module View
    # The part of the JSON about the JIT: for each server, and for each of its processes what happened when.
    class JsonJit
      include JsonValues

      # Ages in seconds up to which the warm-up is told.
      AGES_S = [60, 120, 300, 600, 1800, 3600, 14_400].freeze
      # Medians of the processes with a JIT.
      MEDIANS = %i[code_bytes metadata_bytes memory_bytes limit_bytes threshold compiled_iseqs live_iseqs
        invalidations redefined failures code_gcs].freeze
      LISTS = %i[kind by at limit_of limit_from].freeze

      # @param jits [Analysis::JitReport]
      def initialize(jits)
        @jits = jits
      end

      # @return [Array<Hash>]
      def to_a
        @jits.servers.map { |server| server(server) }
      end

      private

      def server(server)
        {server: clean(server.name), processes: server.present.size, on: server.on.size, since: time_of_ns(server.since_ns), saturated: server.saturated,
         **LISTS.to_h { |key| [key, server.all(key).map { |text| clean(text) }] }, **MEDIANS.to_h { |key| [key, server.median { |life| life.facts.public_send(key) }] },
         **warmth(server), ended: server.ended.size, units_per_life: server.units_per_life, killer: server.killer&.to_h, lives: server.lives.map { |life| life(life) }}
      end

      def warmth(server)
        seconds = server.median(&:warm_after_s)
        {warm: server.warm, warm_after_ns: seconds && seconds * JsonValues::NS, warm_after_units: server.median(&:warm_after_units),
         warm_up: server.warm_up(AGES_S).map { |age_s, count| {age_ns: age_s * JsonValues::NS, interpreted_per_unit: count.round(1)} },
         compiling: server.compiling(AGES_S).map { |age_s, count| {age_ns: age_s * JsonValues::NS, compiled_per_unit: count.round(4)} }}
      end

      def life(life)
        {host: clean(life.host), pid: life.trail[:pid], name: clean(life.name), on: life.facts.on?, units: life.units, age_ns: life.age_s * JsonValues::NS,
         rss_bytes: life.rss_bytes, effective: life.facts.effective, events: life.events.map { |event, at_s| {event:, at: time(at_s)} }}
      end
    end
  end
end
