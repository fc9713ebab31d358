# frozen_string_literal: true

module Holdup
  module Queries
    # Reads single units of a span. Of a long one there are millions, of which those of some of its time say
    # as much: evenly spread stretches, each with all units that are kept of it.
    module UnitSampleQuery
      STRETCH_S = SampleBlock::SECONDS
      # More than enough units for a replay, and minutes for a peak.
      STRETCHES = 72

      module_function

      # @param store [Store::Sql]
      # @param from_s [Integer] seconds since 1970
      # @param to_s [Integer]
      # @param stretches [Integer] that are read at most
      # @return [Array<UnitSample>] in time order
      def call(store, from_s, to_s, stretches: STRETCHES)
        spans(store, from_s, to_s, stretches).flat_map { |span| store.profiles(*span).to_a }
      end

      def spans(store, from_s, to_s, stretches)
        starts = store.profile_starts(from_s, to_s)
        return [[from_s, to_s]] if starts.size <= stretches
        groups = starts.each_slice(starts.size.ceildiv(stretches))
        groups.map { |start_s, *| [[start_s, from_s].max, [start_s + STRETCH_S, to_s].min] }
      end
      private_class_method :spans
    end
  end
end
