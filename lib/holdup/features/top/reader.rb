# frozen_string_literal: true

module Holdup
  module Top
    # One reading of a segment.
    #
    # - `at_ns`: monotonic time of the reading; `header`: Segment::Header
    # - `slots`: Array of Segment::SlotSums by index, nil for one that could not be read
    LiveReading = Data.define(:at_ns, :header, :slots)

    # The readings of one process at one moment, for tables: what is read later does not change it.
    #
    # - `profile`: Hash, see docs/internals/segment.md; `readings`: Array of LiveReading, oldest first, at
    # least one
    ProcessReadings = Data.define(:profile, :readings) do
      def header = readings.last.header

      def pid = header.pid

      # @return [String] "worker 0", "sidekiq 4711", "pid 4711"
      def name
        server = profile["server"]
        return header.process_name if server.nil? || !header.worker_index.negative?
        "#{server} #{pid}"
      end

      # @param span_ns [Integer]
      # @return [ReadingPair] the last reading, and the latest one that is so much older, else the oldest
      def over(span_ns)
        last = readings.last
        first = readings.reverse_each.find { |reading| last.at_ns - reading.at_ns >= span_ns }
        ReadingPair.new(first || readings.first, last)
      end

      # @param count [Integer]
      # @return [Array<ReadingPair>] the latest so many, each with the one before, oldest first
      def steps(count)
        readings.last(count + 1).each_cons(2).map { |first, last| ReadingPair.new(first, last) }
      end
    end

    # What a process did between two readings.
    class ReadingPair
      def initialize(first, last)
        @first = first
        @last = last
        @added = {}
      end

      # @return [Integer] time for which requests and jobs were added
      def length_ns = @last.at_ns - @first.at_ns

      # Counters of the process and accounts of its threads move at a tick.
      # @return [Integer] time between the ticks of both
      def ticked_ns = @last.header.heartbeat_ns - @first.header.heartbeat_ns

      # @param counter [Symbol] of Segment::Layout::COUNTERS, nanoseconds of all threads
      # @return [Float, nil] how many threads on average were in that state; nil between two ticks
      def threads(counter)
        return unless ticked_ns.positive?
        (@last.header.counters.fetch(counter) - @first.header.counters.fetch(counter)).fdiv(ticked_ns)
      end

      # @return [Array<Segment::SlotSums>] what was added to each slot
      def slots
        @slots ||= Array.new(@last.slots.size) { |index| slot(index) }.compact
      end

      # @return [Segment::SlotSums, nil] what was added to a slot; nil if nothing or unknown
      def slot(index)
        return @added[index] if @added.key?(index)
        @added[index] = (@last.slots[index].since(@first.slots[index]) if grown?(index))
      end

      # @return [Float] threads that stalled on average, of the units that ended
      def stalled_threads(index)
        return 0.0 unless grown?(index) && length_ns.positive?
        (@last.slots[index].stalled_ns - @first.slots[index]&.stalled_ns.to_i).fdiv(length_ns)
      end

      private

      # A slot that the first reading could not read has no known beginning.
      def grown?(index)
        now = @last.slots[index]
        before = @first.slots[index]
        !now.nil? && !now.equal?(before) && !(before.nil? && index < @first.slots.size)
      end
    end

    # Reads the segment of one process again and again, and keeps the readings of the last minute.
    class MonitoredProcess
      KEPT_NS = 60_000_000_000

      def initialize
        @profile = {}
        @readings = []
      end

      # @param reader [Segment::Reader]
      # @param now_ns [Integer] monotonic
      # @raise [SegmentError]
      def look(reader, now_ns)
        @profile = reader.profile || @profile unless same_profile?(reader.header)
        @readings << reading(reader, now_ns)
        @readings.shift while @readings.size > 2 && now_ns - @readings[1].at_ns >= KEPT_NS
      end

      # @return [ProcessReadings]
      def readings = ProcessReadings.new(profile: @profile, readings: @readings.dup)

      private

      # Most of the time nothing has happened, and then no slot is read.
      def reading(reader, now_ns)
        latest = @readings.last
        return latest.with(at_ns: now_ns) if latest && unchanged?(latest.header, reader.header)
        slots = reader.of_one_tick { slots(reader, latest) }
        LiveReading.new(at_ns: now_ns, header: reader.header, slots:)
      end

      # Reads accounts, and the slots of units that have ended since.
      def slots(reader, latest)
        grown = latest && grown(reader, latest.header.ring_head)
        Array.new(reader.header.series_count) do |index|
          known = latest && latest.slots[index]
          next known if known && known.series.kind != :account && grown && !grown.include?(index)
          reader.slot(index, known, as: Segment::SlotSums)
        end
      end

      # @return [Array<Integer>, nil] indexes of slots; nil if the ring has not all units any more
      def grown(reader, since)
        slice = reader.ring_slice(since:)
        slice.series_indexes.uniq if slice.first == since
      end

      def unchanged?(before, now)
        before.ring_head == now.ring_head && before.heartbeat_ns == now.heartbeat_ns
      end

      def same_profile?(header)
        @readings.any? && @readings.last.header.profile_seq == header.profile_seq
      end
    end

    # Reads all segments of a folder, and keeps of each what the next reading is compared with.
    class Reader
      # @param dir [String] folder of the segments
      def initialize(dir, clock:)
        @segments = SegmentsReader.new(dir, clock:)
        @clock = clock
        @processes = {}
      end

      # @return [String, nil] why a segment or the folder can't be read, in the last look
      def trouble = @segments.trouble

      # @return [Array<ProcessReadings>] of those that measure now
      def look
        known = @processes
        @processes = {}
        now_ns = @clock.monotonic_ns
        @segments.read do |entry, reader|
          process = @processes[entry.name] = known[entry.name] || MonitoredProcess.new
          process.look(reader, now_ns)
          process.readings
        end
      end
    end
  end
end
