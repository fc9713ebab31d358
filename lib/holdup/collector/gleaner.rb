# frozen_string_literal: true

require_relative "../errors"
require_relative "../series"
require_relative "../setting"
require_relative "change"
require_relative "harvest"
require_relative "position"
require_relative "profiles"

module Holdup
  class Collector
    # Takes out of one segment what was added since its position.
    class Gleaner
      NS = 1_000_000_000
      # Of another process table: one that does not tick is dead, one that ticks lives where we can't see it: in
      # another container with the same folder. Three times the longest `tick_seconds`: a hold may keep it from ticking.
      SILENT_NS = 15 * NS
      # A segment can't be older: its folder does not survive a reboot.
      OLDEST_NS = 400 * 86_400 * NS

      # @param harvest [Harvest] takes what is found
      # @param now_ns [Integer]
      # @param settings [Hash{String => Setting}] by their text; kept between ticks
      # @param profiles [Profiles] takes single units
      def initialize(harvest, now_ns, settings, profiles)
        @harvest = harvest
        @now_ns = now_ns
        @settings = settings
        @profiles = profiles
      end

      # @param entry [Segment::Directory::Entry]
      # @param known [Position, nil] as stored
      # @yieldparam header [Segment::Header]
      # @yieldparam setting [Setting]
      # @return [Position, nil] the new one, only true once the harvest is committed; nil when it can't be read now
      # @raise [SegmentError, DamagedData, SystemCallError]
      def call(entry, known)
        entry.read do |reader|
          header = checked(reader.header, entry)
          before = (known&.created_ns == header.created_ns) ? known : Position.start(header.created_ns)
          next before if before.finished
          setting = setting(reader) or next
          yield header, setting
          glean(reader, before, source(header, setting, before, entry), over?(header, entry))
        end
      end

      private

      def checked(header, entry)
        return header if header.pid == entry.pid
        raise SegmentError::NotASegment.new(path: entry.path, reason: "its name says process #{entry.pid}, its header #{header.pid}")
      end

      # Everything is looked at before anything is harvested: a damaged segment gives all or nothing.
      def glean(reader, before, source, over)
        changes = []
        marks = reader.of_one_tick { mark_all(reader, before.marks, changes.clear) } or return
        stretch = reader.ring_stretch(since: before.ring_head)
        handoff_ns = [reader.header.counters[:handoff_ns], before.handoff_ns].max
        changes.each { |change| @harvest.add(change, source) }
        @harvest.add_handoff(handoff_ns - before.handoff_ns, source) if handoff_ns > before.handoff_ns
        draw(stretch, before, marks, source)
        position = before.with(read_ns: @now_ns, handoff_ns:, ring_head: reader.header.ring_head, marks: marks.freeze)
        over ? position.done : position
      end

      def draw(stretch, before, marks, source)
        return if stretch.size.zero?
        process = UnitProfile::Process.new(pid: source.pid, since_ns: before.created_ns)
        from = Profiles::Source.new(process:, setting: source.setting, series: marks.map { |mark| mark&.series&.plain })
        @profiles.add(stretch, stretch.first - before.ring_head, from, @now_ns)
      end

      # Slot by slot, so that only one has to be in memory.
      # @return [Array<Mark, nil>, nil] nil when a slot that only the store knows was being written all the time
      def mark_all(reader, before, changes)
        reader.damaged("a series is gone") if reader.header.series_count < before.size
        marks = Array.new(reader.header.series_count) { |index| mark(reader, index, before[index], changes) }
        marks if marks.none? { |mark| mark && mark.series.nil? }
      end

      def mark(reader, index, before, changes)
        now = reader.slot(index, before)
        return before if now.nil? || now.equal?(before)
        change = Change.between(now, before&.slot) || reader.damaged("a counter went back")
        changes << change unless change.empty?
        Mark.of(now)
      end

      # Everything is in and nothing will come.
      def over?(header, entry) = header.closed? || entry.dead?(header) || (!entry.alive && (@now_ns - header.heartbeat_ns).abs > SILENT_NS)

      def setting(reader)
        text = reader.setting_text
        text && (@settings[text] ||= Setting.parse(text.empty? ? "{}" : text))
      end

      def source(header, setting, before, entry)
        process = Series.new(kind: :process, name: header.process_name)
        Harvest::Source.new(process:, setting:, pid: header.pid, start_s: minute(before.read_ns, entry.alive ? @now_ns : header.heartbeat_ns))
      end

      # Units carry no time of their own here: they go to the minute in the middle of the time they can be from.
      def minute(from_ns, to_ns)
        from_ns, to_ns = [from_ns, to_ns].map { |time| (time > @now_ns || time < @now_ns - OLDEST_NS) ? @now_ns : time }
        middle_s = ([from_ns, to_ns].min + to_ns) / 2 / NS
        middle_s - middle_s % 60
      end
    end
  end
end
