# frozen_string_literal: true

module Holdup
  module Queries
    # Reads single units of a span. A long span has millions, so it reads only evenly spread blocks, each with
    # all its kept units.
    module UnitSampleQuery
      BLOCK_S = SampleBlock::SECONDS
      # More than enough units for a replay, and minutes for a peak.
      BLOCKS = 72

      module_function

      def call(store, from_s, to_s, blocks: BLOCKS)
        spans(store, from_s, to_s, blocks).flat_map { |span| store.profiles(*span).to_a }
      end

      def spans(store, from_s, to_s, blocks)
        starts = store.profile_starts(from_s, to_s)
        return [[from_s, to_s]] if starts.size <= blocks
        groups = starts.each_slice(starts.size.ceildiv(blocks))
        groups.map { |start_s, *| [[start_s, from_s].max, [start_s + BLOCK_S, to_s].min] }
      end
      private_class_method :spans
    end
  end
end
