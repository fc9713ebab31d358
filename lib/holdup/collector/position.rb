# frozen_string_literal: true

require_relative "../segment/slot"

module Holdup
  class Collector
    # How far one segment has been carried into the store: the last reading of every slot. Stored with the windows in one
    # transaction, so whoever continues subtracts exactly what is already counted.
    #
    # - `created_ns`: when the segment was made. Another file under the same name is another segment
    # - `read_ns`: when it was read
    # - `finished`: nothing will be added and everything is carried: only the file is still to be removed
    # - `handoff_ns`: that counter of the header
    # - `slots`: Array of Slot; nil for one that was never read
    Position = Data.define(:created_ns, :read_ns, :finished, :handoff_ns, :slots) do
      # @return [Position] nothing carried yet
      def self.start(created_ns) = new(created_ns:, read_ns: created_ns, finished: false, handoff_ns: 0, slots: [].freeze)

      # @return [Position] with nothing but the mark that it is done
      def done = with(finished: true, slots: [].freeze)

      # Whether a unit was recorded since: an idle process moves nothing but its accounts.
      # @param earlier [Position, nil]
      def units_moved?(earlier)
        return true if earlier.nil? || earlier.slots.size != slots.size || earlier.finished != finished
        slots.zip(earlier.slots).any? { |now, before| !now.equal?(before) && !now.account? }
      end
    end
  end
end
