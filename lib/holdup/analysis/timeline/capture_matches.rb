# frozen_string_literal: true

module Holdup
  module Analysis::Timeline
    # The unit that a capture was waiting for: its name, its stall and elapsed time, and who held the GVL
    # meanwhile. Replays only the events of its time: the collector has little time and memory.
    class CaptureMatches
      MOST_EVENTS = 50_000
      # Clocks of several CPUs may differ, so that events stand some places from where their times belong.
      EARLIER = 200

      # Facts for the capture's first page; empty where it caught nothing.
      # @raise [DamagedData]
      def self.facts(bytes) = new(bytes).facts

      def initialize(bytes)
        @bytes = bytes
        @header = Capture::Header.parse(bytes, path: "the capture").whole!(bytes, path: "the capture")
      end

      def facts
        return {} if @header.caught.zero? || @header.head.zero?
        scene = scene()
        facts = {"unit" => scene.recording.names[@header.caught_series]&.name,
                 "stalled_ns" => @header.caught_stalled_ns,
                 "wall_ns" => @header.caught_wall_ns,
                 "trace" => scene.caught&.trace}
        {**facts, **holder(scene)}.compact
      end

      private

      def scene
        since = [first_event, @header.head - MOST_EVENTS].max
        Scene.new(Capture::EventLog.parse(@bytes, path: "the capture", since:))
      end

      def holder(scene)
        unit = scene.caught or return {}
        row = HolderTable.new(scene, waits: UnitStory.new(scene, unit).waits).call.first
        row ? {"holder" => row.name || row.thread, "holder_ns" => scene.ns(row.caused)} : {}
      end

      # Number of the last event before the unit began.
      def first_event
        last = [@header.caught_event, @header.head - 1].min
        from = time(last) - @header.caught_wall_ns * Capture::Layout::RATE_UNIT / @header.rate
        first = (@header.overwritten..last).bsearch { |number| time(number) >= from } || last
        first - EARLIER
      end

      def time(number)
        index = number & (@header.capacity - 1)
        @bytes.unpack1("Q<", offset: @header.events_offset + index * Capture::Layout::EVENT_BYTES + 8)
      end
    end
  end
end
