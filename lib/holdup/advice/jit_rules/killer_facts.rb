# frozen_string_literal: true

module Holdup
  module Advice
    module JitRules
      # What is said of a memory killer's limit: how large it has to be, what the killer counts, and how well
      # that is known.
      module KillerFacts
        S = 1_000_000_000

        module_function

        # @param server [Analysis::JitReport::ServerJit] with a killer
        # @param needed_bytes [Integer] that its limit has to leave
        # @return [Hash{Symbol => Object}] facts of a Finding
        def call(server, needed_bytes)
          killer = server.killer
          {killer: killer.name, limit_bytes: killer.limit_bytes, needed_bytes:, setting: killer.line(needed_bytes),
           counts: counts(server.watched), basis: basis(server.growth, server.watched.room_bytes)}
        end

        def counts(watched)
          return {phrase: :killer_counts_one} unless watched.all?
          group = watched.largest
          phrase = group.master_known ? :killer_counts_all : :killer_counts_all_but
          {phrase:, workers: group.workers, each_bytes: watched.each_bytes, master_bytes: group.master_bytes}
        end

        def basis(growth, room_bytes)
          phrase = room_bytes.positive? ? :growth_cold : :"growth_#{growth.basis}"
          {phrase:, wanted_ns: growth.wanted_s * S, seen_ns: growth.seen_s * S, room_bytes:}
        end
        private_class_method :counts, :basis
      end
    end
  end
end
