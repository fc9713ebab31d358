# frozen_string_literal: true

module Holdup
  class Collector
    # Reads what was added to one segment since its checkpoint.
    class SegmentDelta
      SILENT_NS = Segment::Directory::SILENT_NS
      # A segment can't be older, because its folder does not survive a reboot.
      OLDEST_NS = 400 * 86_400 * NS

      # @param settings [Hash{String => Setting}] by their text; kept between ticks
      # @param autopsies [Autopsies, nil] learns of processes that are gone and have not closed their segments
      # @param last_round [LastRound, nil] learns what processes that live have in flight
      # @param arrival_counter [ArrivalCounter, nil] learns when units came
      # @param steady [Boolean] whether the age of a heartbeat says anything: not while the clock is being set
      def initialize(builder:, now_ns:, settings:, unit_sampler:, skipped:, arrival_counter: nil,
        autopsies: nil, last_round: nil, steady: true)
        @builder = builder
        @now_ns = now_ns
        @settings = settings
        @unit_sampler = unit_sampler
        @arrival_counter = arrival_counter
        @skipped = skipped
        @autopsies = autopsies
        @last_round = last_round
        @steady = steady
        @silent = []
      end

      # @return [Array<String>] names of segments whose processes may only stand still: their files can go,
      #   because a process that goes on makes its file again, and how far they were carried has to stay
      attr_reader :silent

      # @param known [SegmentCheckpoint, nil] as stored
      # @param anew [Boolean] it is unknown how far the segment was carried: start from its current state
      # @return [SegmentCheckpoint, nil] valid once the builder is committed; nil when it can't be read now
      # @raise [SegmentError, DamagedData, SystemCallError]
      def call(entry, known, anew: false)
        entry.read(now_ns: @now_ns, steady: @steady) do |reader|
          header = checked(reader.header, entry)
          next SegmentCheckpoint.start(header.created_ns).done if header.moved?
          before = known if known&.created_ns == header.created_ns
          before ||= SegmentCheckpoint.start(header.created_ns)
          next before if before.finished
          setting = setting(reader) or next
          yield header, setting
          reading = read(reader, before, entry)
          add(reading, before, source(header, setting, before, reader.ended)) unless anew
          unless over?(header, reader, entry, setting)
            lives(entry, reader, setting)
            next reading.checkpoint
          end
          died(entry, reader, setting, reading.checkpoint.slots)
          reading.checkpoint.done
        end
      end

      # What a segment has since its checkpoint. `changes`: Array of SlotDelta; `pairs`: Array of PairDelta;
      # `ring`: RingSlice; `slowest`: Segment::SlowestList
      SegmentReading = Data.define(:checkpoint, :changes, :pairs, :handoff_ns, :ring, :slowest)
      # A slot of the file that is read.
      SlotPlace = Data.define(:reader, :file, :index) do
        def damaged(reason) = reader.damaged(reason)
      end
      private_constant :SegmentReading, :SlotPlace

      private

      def checked(header, entry)
        return header if header.pid == entry.pid
        raise SegmentError::NotASegment.new(path: entry.path,
          reason: "its name says process #{entry.pid}, its header #{header.pid}")
      end

      # Reads everything before it adds anything, so a failure adds nothing.
      def read(reader, before, entry)
        changes = []
        slowest = reader.slowest(since: before.slowest_head) # before the slots, which it refers to
        slots = reader.of_one_tick { read_slots(reader, before.slots, changes.clear, entry) }
        header = reader.header
        handoff_ns = handoff_ns(header, before, entry)
        pairs, pair_deltas = read_pairs(reader, before.pairs, slots, entry)
        ring = reader.ring_slice(since: before.ring_head)
        ring_head = header.ring_head
        checkpoint = before.with(read_ns: @now_ns, handoff_ns:, ring_head:, slots: slots.freeze, pairs:,
          slowest_head: slowest.head)
        SegmentReading.new(checkpoint:, changes:, pairs: pair_deltas, ring:, slowest:,
          handoff_ns: handoff_ns - before.handoff_ns)
      end

      # A row whose series was not read this time comes with the next reading.
      # @return [Array(Array<Integer>, Array<PairDelta>)] how far they are carried, and what was added
      def read_pairs(reader, before, slots, entry)
        rows = reader.pairs or return [before, []]
        deltas = []
        carried = rows.each_with_index.map do |row, index|
          delta = PairDelta.of(row, before.fetch(index, 0), slots) or next before.fetch(index, 0)
          deltas << delta if delta.ns.positive?
          row.last
        end
        [carried.freeze, deltas]
      rescue SegmentError::NotASegment, DamagedData => error
        @skipped.add_lasting(:series, "pairs of #{entry.name}", DamagedData.new(error.message),
          file: entry.name, place: -2)
        [before, []]
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
        reading.pairs.each { |pair| @builder.add_pair(pair, source) }
        @builder.add_handoff(reading.handoff_ns, source) if reading.handoff_ns.positive?
        @skipped.guard(:unit_samples, "process #{source.pid}") do
          add_units(reading, before, reading.checkpoint.slots, source)
        end
      end

      def add_units(reading, before, slots, source)
        ring, slowest = reading.ring, reading.slowest
        return if ring.size.zero? && slowest.entries.empty?
        process = UnitSample::SampledProcess.new(pid: source.pid, since_ns: before.created_ns)
        series = slots.map { |slot| slot&.series&.plain }
        units_of = UnitSampler::SegmentSource.new(process:, setting: source.setting, series:)
        if ring.size.positive?
          missed = ring.first - before.ring_head
          @unit_sampler.add(ring, missed, units_of, @now_ns)
          pools = slots.map { |slot| ArrivalBlock::UnitPool.of(slot&.series) }
          @arrival_counter&.add(ring, missed, source.setting, pools, @now_ns)
        end
        @builder.add_slowest(SlowUnitNames.new(slots, units_of, @now_ns).call(slowest.entries))
        return unless slowest.missed.positive?
        lost = DamagedData.new("#{slowest.missed} of the slowest were overwritten before they were read")
        @skipped.add(:slowest, "process #{source.pid}", lost)
      end

      # Slot by slot, so that only one is in memory.
      def read_slots(reader, before, changes, entry)
        reader.damaged("a series is gone") if reader.header.series_count < before.size
        Array.new(reader.header.series_count) do |index|
          read_slot(reader, index, before[index], entry) { |change| changes << change }
        end
      end

      # A damaged slot keeps its checkpoint, so nothing is missing when it can be read again.
      def read_slot(reader, index, before, entry)
        bytes = reader.slot_bytes(index)
        return before if bytes.nil? || before&.still_in?(bytes)
        place = SlotPlace.new(reader:, file: entry.name, index:)
        generation = Segment::AccountSlot.generation(bytes)
        former, before = ended(place, bytes, before) unless generation == before&.generation.to_i
        change, checkpoint = delta(place, bytes, before)
        yield former if former && !former.empty?
        yield change unless change.empty?
        checkpoint.generation = generation
        checkpoint
      rescue SegmentError::NotASegment => error
        name = before&.series&.name || "slot #{index} of #{entry.name}"
        @skipped.add_lasting(:series, name, DamagedData.new(error.reason), file: entry.name, place: index)
        before
      end

      # The slot of an account has another name than when it was read: what was added before the name came is
      # of threads that have ended, perhaps of several names.
      # @return [Array(SlotDelta, SegmentCheckpoint::SlotCheckpoint)] and from where the present name counts
      def ended(place, bytes, before)
        nameless = before&.dup
        nameless.series = nil if nameless
        change, checkpoint = delta(place, Segment::AccountSlot.former(bytes), nameless)
        checkpoint.series = nil
        [change, checkpoint]
      end

      # @return [Array(SlotDelta, SegmentCheckpoint::SlotCheckpoint)]
      def delta(place, bytes, before)
        SlotDelta.of_bytes(bytes, before) || compared(place, bytes, before)
      end

      # When it is new, or something is wrong.
      def compared(place, bytes, before)
        now = Segment::Slot.parse(bytes, before) || place.damaged("slot #{place.index} is damaged")
        change = SlotDelta.between(now, earlier(place, before, now)) || place.damaged("a counter went back")
        [change, SegmentCheckpoint::SlotCheckpoint.of(now)]
      end

      # When it is unknown what was carried, everything counts as carried, so nothing is counted twice.
      def earlier(place, before, now)
        before&.slot
      rescue DamagedData => error
        @skipped.add_lasting(:checkpoint, now.series.name, error, file: place.file, place: place.index)
        now
      end

      # Everything is carried and no more will come.
      def over?(header, reader, entry, setting)
        return true if header.closed?
        return !@autopsies&.awaited?(header, setting) if reader.ended == :dead
        return false unless reader.ended == :silent
        return true if header.namespace.zero?
        @silent << entry.name
        false
      end

      def lives(entry, reader, setting)
        return if @last_round.nil? || reader.ended
        @skipped.guard(:death, "process #{entry.pid}") { @last_round.add(entry.name, reader, setting) }
      end

      def died(entry, reader, setting, slots)
        return if @autopsies.nil?
        header = reader.header
        return unless header.closed? ? @autopsies.killed?(header) : reader.ended == :dead
        @skipped.guard(:death, "process #{entry.pid}") { @autopsies.add(entry.name, reader, setting, slots) }
      end

      def setting(reader)
        text = reader.setting_text
        text && (@settings[text] ||= Setting.parse(text.empty? ? "{}" : text))
      end

      def source(header, setting, before, ended)
        process = Series.new(kind: :process, name: header.process_name)
        start_s = minute(before.read_ns, ended ? header.heartbeat_ns : @now_ns)
        WindowBuilder::DeltaSource.new(process:, setting:, pid: header.pid, start_s:)
      end

      # Units have no time of their own here: they go to the minute in the middle of the possible interval.
      def minute(from_ns, to_ns)
        possible = (@now_ns - OLDEST_NS..@now_ns)
        from_ns, to_ns = [from_ns, to_ns].map { |time_ns| possible.cover?(time_ns) ? time_ns : @now_ns }
        middle_s = ([from_ns, to_ns].min + to_ns) / 2 / NS
        middle_s - middle_s % 60
      end
    end

    class SegmentDelta
      # Merges what one tick reads from all segments: one window for each series, setting and minute.
      class WindowBuilder
        # Origin of a change. `process`: Series of the process; `start_s`: the minute
        DeltaSource = Data.define(:process, :setting, :pid, :start_s)

        # @return [Hash{Series => String}] paths that are new
        attr_reader :paths

        # Holders of one victim that are kept apart in each round; the smallest are counted together.
        MOST_HOLDERS = 16

        def initialize
          @totals = {}
          @pairs = {}
          @paths = {}
          @slowest = []
        end

        def add(change, source)
          totals(change.series.plain, source).add_delta(change)
          @paths[change.series] = change.path if change.path
          if change.series.unit?
            totals(source.process, source).add_delta(change)
            change.series.views.each { |view| totals(view, source).add_delta(change) }
          elsif change.series.kind == :nested
            totals(source.process, source).subtract_time(change)
          end
        end

        # @param pair [PairDelta]
        def add_pair(pair, source)
          series = pair.series
          by_victim = @pairs[[source.start_s, source.setting]] ||= {}
          by_holder = by_victim[[series.kind, series.name]] ||= Hash.new(0)
          by_holder[series.queue] += pair.ns
        end

        # @param slow_units [Array<SlowUnit>]
        def add_slowest(slow_units)
          @slowest.concat(slow_units)
        end

        # Stall while no thread held the GVL: no unit caused it, so it has its own account.
        def add_handoff(handoff_ns, source)
          totals(Series::HANDOFF, source).add_delta(SlotDelta.of_handoff(Series::HANDOFF, handoff_ns))
        end

        def windows(host)
          units = @totals.flat_map do |(start_s, setting), by_series|
            by_series.map do |series, totals|
              Window.new(start_s:, seconds: 60, series:, setting:, host:, **totals.to_h)
            end
          end
          units + pair_windows(host)
        end

        # @return [Array<SlowestBlock>]
        def slowest(host)
          units = @slowest.map { |slow| slow.with(unit: slow.unit.with(host:)) }
          SlowestBlock.of(units)
        end

        private

        def pair_windows(host)
          @pairs.flat_map do |(start_s, setting), by_victim|
            by_victim.flat_map do |(kind, victim), by_holder|
              strongest(by_holder).map do |holder, ns|
                series = Series.new(kind:, name: victim, queue: holder)
                Window.of_pair(series:, ns:, setting:, host:, start_s:, seconds: 60)
              end
            end
          end
        end

        # @param by_holder [Hash{String => Integer}] ns
        def strongest(by_holder)
          nameless, named = by_holder.partition { |holder, _| Series::NAMELESS.key?(holder) }.map(&:to_h)
          return by_holder if named.size <= MOST_HOLDERS
          kept = named.max_by(MOST_HOLDERS, &:last).to_h
          others = {Series::NAMELESS.key(:others) => named.values.sum - kept.values.sum}
          kept.merge(nameless.merge(others) { |_, one, other| one + other })
        end

        # Changes of one source come one after the other.
        def totals(series, source)
          unless @source.equal?(source)
            @source = source
            @of_source = (@totals[[source.start_s, source.setting]] ||= {})
          end
          @of_source[series] ||= Window::Totals.new
        end
      end
    end
  end
end
