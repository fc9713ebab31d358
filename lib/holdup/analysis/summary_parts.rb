# frozen_string_literal: true

module Holdup
  module Analysis
    # What a Summary is computed from beside the windows of its span. Not every report needs all of it, and
    # some of it takes long to read, so a report names its parts.
    #
    # - `samples`: of the processes (Store#processes), `every_s` seconds apart
    # - `coverage`: MeasuredTime of such units; nil: only the windows say it. It comes with `own_times`: those
    #   of rows by setting (its fingerprint) or revision, by name
    # - `under_load`: ProcessReport of the time in which any units ran; nil: none did
    # - `pairs`, `connection_pairs`, `calls`, `transactions` (with the calls in them), `holding_methods`,
    #   `repeats`: windows of these kinds; `locks`: of kinds :lock_pair and :lock_place
    # - `slowest`: of requests and jobs, Queries::SlowestUnitsQuery::KeptUnits; nil: none
    # - `heap_counts`: HeapGrowth::HeapCounts of requests and jobs, in steps of the span, and their processes
    SummaryParts = Data.define(:samples, :every_s, :coverage, :own_times, :under_load, :pairs,
      :connection_pairs, :locks, :calls, :transactions, :holding_methods, :repeats, :slowest, :heap_counts) do
      def initialize(samples: [], every_s: ProcessReport::EVERY_S, coverage: nil, own_times: {},
        under_load: nil, pairs: [], connection_pairs: [], locks: [], calls: [], transactions: [],
        holding_methods: [], repeats: [], slowest: nil, heap_counts: HeapGrowth::NO_COUNTS)
        super
      end

      # @return [Hash] keywords of parts of which none was read
      def self.unread = (members - %i[every_s own_times]).to_h { |part| [part, self::UNREAD] }

      # @param part [Symbol]
      def read?(part) = !self.class::UNREAD.equal?(public_send(part))
    end

    SummaryParts::UNREAD = Object.new.freeze
  end
end
