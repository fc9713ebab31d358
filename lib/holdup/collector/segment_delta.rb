# frozen_string_literal: true

module Holdup
  class Collector
    # Takes out of one segment what was added since its checkpoint.
    class SegmentDelta
      NS = 1_000_000_000
      # A process of another process table (another container with the same folder) that does not tick for so
      # long is dead. Three times the longest `tick_seconds`: a hold may keep it from ticking.
      SILENT_NS = 15 * NS
      # A segment can't be older: its folder does not survive a reboot.
      OLDEST_NS = 400 * 86_400 * NS

      # @param builder [WindowBuilder] takes what is found
      # @param settings [Hash{String => Setting}] by their text; kept between ticks
      # @param profiles [UnitSampler] takes single units
      # @param skipped [SkippedRows] takes what is damaged
      def initialize(builder:, now_ns:, settings:, profiles:, skipped:)
        @builder = builder
        @now_ns = now_ns
        @settings = settings
        @profiles = profiles
        @skipped = skipped
      end

      # @param known [SegmentCheckpoint, nil] as stored
      # @param anew [Boolean] how far it was carried is unknown: it is carried from here on, so that nothing
      #   is counted twice
      # @return [SegmentCheckpoint, nil] the new one, only true once the builder is committed; nil when it
      #   can't be read now
      # @raise [SegmentError, DamagedData, SystemCallError]
      def call(entry, known, anew: false)
        entry.read do |reader|
          header = checked(reader.header, entry)
          before = known if known&.created_ns == header.created_ns
          before ||= SegmentCheckpoint.start(header.created_ns)
          next before if before.finished
          setting = setting(reader) or next
          yield header, setting
          reading = read(reader, before, entry)
          add(reading, before, source(header, setting, before, entry)) unless anew
          over?(header, entry) ? reading.position.done : reading.position
        end
      end

      # What a segment says since its checkpoint. `changes`: Array of SlotDelta; `handoff_ns`: added; `ring`:
      # RingSlice
      Reading = Data.define(:position, :changes, :handoff_ns, :ring)
      private_constant :Reading

      private

      def checked(header, entry)
        return header if header.pid == entry.pid
        raise SegmentError::NotASegment.new(path: entry.path,
          reason: "its name says process #{entry.pid}, its header #{header.pid}")
      end

      # Everything is looked at before anything is added: what fails adds nothing.
      def read(reader, before, entry)
        changes = []
        marks = reader.of_one_tick { mark_all(reader, before.marks, changes.clear, entry) }
        header = reader.header
        handoff_ns = handoff_ns(header, before, entry)
        ring = reader.ring_slice(since: before.ring_head)
        ring_head = header.ring_head
        position = before.with(read_ns: @now_ns, handoff_ns:, ring_head:, marks: marks.freeze)
        Reading.new(position:, changes:, handoff_ns: handoff_ns - before.handoff_ns, ring:)
      end

      def handoff_ns(header, before, entry)
        now_ns = header.counters[:handoff_ns]
        return [now_ns, before.handoff_ns].max if now_ns <= Segment::Layout::MAX_NUMBER
        @skipped.add_lasting(:series, "hand-off of process #{header.pid}",
          DamagedData.new("its counter is damaged"), file: entry.name, place: -1)
        before.handoff_ns
      end

      def add(reading, before, source)
        reading.changes.each { |change| @builder.add(change, source) }
        @builder.add_handoff(reading.handoff_ns, source) if reading.handoff_ns.positive?
        @skipped.guard(:profiles, "process #{source.pid}") do
          draw(reading.ring, before, reading.position.marks, source)
        end
      end

      def draw(ring, before, marks, source)
        return if ring.size.zero?
        process = UnitSample::SampledProcess.new(pid: source.pid, since_ns: before.created_ns)
        series = marks.map { |mark| mark&.series&.plain }
        units_of = UnitSampler::Source.new(process:, setting: source.setting, series:)
        @profiles.add(ring, ring.first - before.ring_head, units_of, @now_ns)
      end

      # Slot by slot, so that only one has to be in memory.
      # @return [Array<SlotCheckpoint, nil>]
      def mark_all(reader, before, changes, entry)
        reader.damaged("a series is gone") if reader.header.series_count < before.size
        Array.new(reader.header.series_count) do |index|
          mark(reader, index, before[index], entry) { |change| changes << change }
        end
      end

      # A damaged slot keeps its mark: when it can be read again, nothing is missing.
      # @yieldparam change [SlotDelta] where something was added
      def mark(reader, index, before, entry)
        now = reader.slot(index, before)
        return before if now.nil? || now.equal?(before)
        change = SlotDelta.between(now, earlier(before, now, index, entry))
        reader.damaged("a counter went back") unless change
        yield change unless change.empty?
        SlotCheckpoint.of(now)
      rescue SegmentError::NotASegment => error
        name = before&.series&.name || "slot #{index} of #{entry.name}"
        @skipped.add_lasting(:series, name, DamagedData.new(error.reason), file: entry.name, place: index)
        before
      end

      # Where it is unknown what was carried, everything counts as carried, so that nothing is counted twice.
      def earlier(before, now, index, entry)
        before&.slot
      rescue DamagedData => error
        @skipped.add_lasting(:position, now.series.name, error, file: entry.name, place: index)
        now
      end

      # Everything is in and nothing will come.
      def over?(header, entry)
        return true if header.closed? || entry.dead?(header)
        !entry.alive && (@now_ns - header.heartbeat_ns).abs > SILENT_NS
      end

      def setting(reader)
        text = reader.setting_text
        text && (@settings[text] ||= Setting.parse(text.empty? ? "{}" : text))
      end

      def source(header, setting, before, entry)
        process = Series.new(kind: :process, name: header.process_name)
        start_s = minute(before.read_ns, entry.alive ? @now_ns : header.heartbeat_ns)
        WindowBuilder::DeltaSource.new(process:, setting:, pid: header.pid, start_s:)
      end

      # Units carry no time of their own here: they go to the minute in the middle of the time they can be
      # from.
      def minute(from_ns, to_ns)
        possible = (@now_ns - OLDEST_NS..@now_ns)
        from_ns, to_ns = [from_ns, to_ns].map { |time_ns| possible.cover?(time_ns) ? time_ns : @now_ns }
        middle_s = ([from_ns, to_ns].min + to_ns) / 2 / NS
        middle_s - middle_s % 60
      end
    end
  end
end
