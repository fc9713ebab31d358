# frozen_string_literal: true

module Holdup
  module Captures
    # Which of several processes to capture when none is named: the one whose threads wait most for the GVL at
    # this moment; where nobody waits, the one that runs most.
    module MostStalled
      # Counters of a segment are those of its latest tick, so a shorter time could have none between.
      SECONDS = 2
      COUNTERS = %i[stalled_ns running_ns].freeze

      # @param entries [Array<Segment::DirectoryEntry>] at least one
      # @yield between the two readings, waits for SECONDS
      # @return [Segment::DirectoryEntry]
      def self.of(entries)
        before = entries.map { |entry| counters(entry) }
        yield
        growth = entries.zip(before).to_h do |entry, then_ns|
          [entry, counters(entry).zip(then_ns).map { |now, earlier| now - earlier }]
        end
        entries.max_by { |entry| growth.fetch(entry) }
      end

      # @return [Array<Integer>] of a process that ends meanwhile 0, so it is not chosen
      def self.counters(entry)
        entry.read { |reader| reader.header.counters.values_at(*COUNTERS) }
      rescue SystemCallError, SegmentError
        [0, 0]
      end
      private_class_method :counters
    end
  end
end
