# frozen_string_literal: true

module Holdup
  class Collector
    # How far one segment has been carried into the store: a mark for every slot. Stored with the windows in
    # one transaction, so whoever continues subtracts exactly what is already counted.
    #
    # - `created_ns`: when the segment was made. Another file under the same name is another segment
    # - `read_ns`: when it was read
    # - `finished`: nothing will be added and everything is carried: only the file is still to be removed
    # - `handoff_ns`: that counter of the header
    # - `ring_head`: how many of the ring's units were looked at
    # - `marks`: Array of Mark, one a slot; nil for one that was never read
    SegmentCheckpoint = Data.define(:created_ns, :read_ns, :finished, :handoff_ns, :ring_head, :marks) do
      # @return [SegmentCheckpoint] nothing carried yet
      def self.start(created_ns)
        new(created_ns:, read_ns: created_ns, finished: false, handoff_ns: 0, ring_head: 0, marks: [].freeze)
      end

      # @return [SegmentCheckpoint] with nothing but the mark that it is done
      def done = with(finished: true, marks: [].freeze)

      # Whether a unit was recorded since: an idle process moves nothing but its accounts.
      # @param earlier [SegmentCheckpoint, nil]
      def units_moved?(earlier)
        return true if earlier.nil? || earlier.marks.size != marks.size || earlier.finished != finished
        marks.zip(earlier.marks).any? { |now, before| !now.equal?(before) && !now.account? }
      end
    end
  end
end
