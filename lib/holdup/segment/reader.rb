# frozen_string_literal: true

require_relative "../model/setting"
require_relative "header"
require_relative "layout"
require_relative "open_units"
require_relative "ring_slice"
require_relative "slot"
require_relative "slowest_list"

module Holdup
  module Segment
    # Content of one segment at one moment. Frozen; each slot is consistent in itself, slots may be some units
    # apart.
    #
    # - `header`: Header; `setting`: Setting, without attributes until written
    # - `slots`: Array of Slot; nil for one that the process was writing all the time
    # - `ring`: Array of RingEntry, oldest first
    SegmentSnapshot = Data.define(:header, :setting, :slots, :ring) do
      def pid = header.pid

      def start = header.start

      def counters = header.counters

      def gauges = header.gauges

      def slot(name, kind: :request, queue: nil)
        slots.compact.find do |slot|
          slot.series.name == name && slot.series.kind == kind && slot.series.queue == queue
        end
      end
    end

    # Bytes of a segment file, read with pread: nothing is mapped, so a file cut short can't cause a fault.
    # Where a process died while it applied a unit, the redo log completes what is read; the file itself never
    # changes.
    class ByteReader
      class TooShort < StandardError; end

      def initialize(io)
        @io = io
        @redo = {}
        @word = "".b
      end

      def size = @io.size

      # @param buffer [String] reused, so that a tick does not copy every slot
      # @raise [TooShort]
      def read(offset, length, buffer = "".b)
        @io.pread(length, offset, buffer)
        raise TooShort if buffer.bytesize < length
        @redo.empty? ? buffer : overlay(buffer, offset)
      rescue EOFError
        raise TooShort
      end

      def u64(offset) = read(offset, 8, @word).unpack1("Q<")

      # Overlays a log on everything read from now on.
      # @param pairs [Array<Integer>] offset, value, offset, value ...
      def redo!(pairs)
        @redo = pairs.each_slice(2).to_h
      end

      private

      def overlay(buffer, offset)
        buffer.force_encoding(Encoding::BINARY)
        @redo.each do |at, value|
          position = at - offset
          buffer[position, 8] = [value].pack("Q<") if position >= 0 && position + 8 <= buffer.bytesize
        end
        buffer
      end
    end

    # Reads one segment file while its process writes or after it died: the oracle for what the C half writes.
    #
    # The process never waits for a reader: each part is read between two looks at the sequence number, and
    # again when a unit was applied in between. A part that stays inconsistent is nil and comes with the next
    # reading.
    class Reader
      TRIES = 40
      # A tick takes some microseconds, but on a machine without a free CPU it may stand still half-way for a
      # time slice or several.
      TICK_TRIES = 50
      TICK_PAUSE_S = 0.01

      # @param gone [Boolean] its process is dead: the redo log completes its last unit
      # @raise [SegmentError] not a segment, or one of another layout
      # @raise [SystemCallError]
      def self.open(path, gone: false)
        flags = File::RDONLY | File::NOFOLLOW | File::NONBLOCK | File::BINARY
        File.open(path, flags) { |io| yield over(io, path:, gone:) }
      end

      # @raise [SegmentError]
      def self.over(io, path:, gone: false)
        raise SegmentError::NotASegment.new(path:, reason: "it is not a regular file") unless io.stat.file?
        new(io, path:, gone:)
      end

      # As of the reader's start, or the last `refresh`.
      attr_reader :header

      # @return [Symbol, nil] why nothing is written to it: its process is :dead, or was :silent for so long
      #   that it counts as dead, or is :missing and was never seen in a process table; or it is a :copy. nil
      #   while its process may write
      attr_reader :ended

      def initialize(io, path:, gone: false)
        @bytes = ByteReader.new(io)
        @path = path
        @page = "".b
        @buffer = "".b
        @sequences = {}
        refresh
        ends(:dead) if gone
      end

      # From now on nothing is written to it: what it has now is read, and its log completes a unit.
      # @param why [Symbol] see `ended`
      def ends(why)
        @ended = why
        refresh
        complete if @header.applying?
      end

      def refresh
        @header = guarded { Header.parse(@bytes.read(0, Layout::HEADER_BYTES, @page), path: @path) }
      end

      # @param index [Integer] 0...header.series_count
      # @param known [#still?, #series, #path, nil] an earlier reading, returned when nothing was added
      # @param as [Class] Slot, or SlotSums for the sums alone
      # @raise [SegmentError::NotASegment] for a slot that is damaged or outside the file
      def slot(index, known = nil, as: Slot)
        bytes = slot_bytes(index)
        bytes && (as.parse(bytes, known) || damaged("slot #{index} is damaged"))
      end

      # @return [String, nil] of a slot, valid until the next one is read; nil when it was being written all
      #   the time
      # @raise [SegmentError::NotASegment]
      def slot_bytes(index)
        offset = @header.slot_offset(index)
        steady(Layout::SEQ) { guarded { @bytes.read(offset, Layout::SERIES_BYTES, @buffer) } }
      end

      # The table of pairs: who waited for what others held. Rows are appended, and only grow.
      # @return [Array<Array(Integer, Integer, Integer, Integer)>, nil] series of who waited and of who held
      #   it, as slots + 1 or a number of Layout::PAIR_*, the place of its kind in Layout::PAIR_KINDS, and ns;
      #   nil when it was being written all the time
      # @raise [SegmentError::NotASegment]
      def pairs
        bytes = steady(Layout::SEQ) do
          guarded { @bytes.read(Layout::PAIRS_OFFSET, pair_count * Layout::PAIR_BYTES) }
        end
        bytes&.unpack(Layout::PAIR_FORMAT * (bytes.bytesize / Layout::PAIR_BYTES))&.each_slice(4)&.to_a
      end

      # @return [Setting, nil] nil while it is being written; without attributes before the first write
      # @raise [DamagedData]
      def setting
        text = setting_text
        text && Setting.parse(text.empty? ? "{}" : text)
      end

      # @return [String, nil] JSON, "" before the first write; nil while it is being written
      def setting_text
        text(Layout::SETTING_SEQ, Layout::SETTING_LENGTH, Layout::SETTING_OFFSET, Layout::SETTING_BYTES)
      end

      # @return [Hash{String => Object}, nil] see docs/internals/segment.md; nil while it is being written
      # @raise [DamagedData]
      def profile
        json = text(Layout::PROFILE_SEQ, Layout::PROFILE_LENGTH, Layout::PROFILE_OFFSET,
          Layout::PROFILE_BYTES)
        json && (json.empty? ? {} : Setting.parse(json).attributes)
      end

      # @param since [Integer] number of units already known: `header.ring_head` of an earlier reading
      # @return [Array<RingEntry>] remaining later units, oldest first; at most one less than the ring has
      #   room for, because the process may be overwriting the oldest
      def ring(since: 0) = ring_slice(since:).entries

      # The same units as `ring`, not parsed yet.
      def ring_slice(since: 0)
        guarded { RingSlice.read(@bytes, @header, since) }
      end

      # @param since [Integer] `head` of an earlier reading
      # @return [SlowestList]
      # @raise [SegmentError::NotASegment]
      def slowest(since: 0)
        list = guarded { SlowestList.read(@bytes, @header, since) }
        (list.head < since) ? damaged("its list of the slowest is shorter than before") : list
      end

      # Requests and jobs that have begun and not ended. Slots are consistent in themselves, and may be some
      # units apart while the process lives; of one that was killed, a unit is either here or counted.
      # @param begun_by_ns [Integer, nil] only those that had begun by then: few cost little
      # @return [Array<OpenUnit>] a slot that was being written all the time is left out
      # @raise [SegmentError::NotASegment]
      def open_units(begun_by_ns: nil) = guarded { OpenUnits.new(@bytes, @header).units(begun_by_ns:) }

      # @return [Integer] requests and jobs that began while the table of open ones was full
      def open_units_beyond = guarded { OpenUnits.new(@bytes, @header).beyond }

      # @return [OpenState] who held the main Ractor's GVL when somebody looked last
      # @raise [SegmentError::NotASegment]
      def open_state = guarded { OpenUnits.new(@bytes, @header).state }

      # A tick writes accounts and the header's counters together, and comparing them needs both from the same
      # tick. The block reads them, and is called again when a tick came between. One that is being written is
      # waited for; after TICK_TRIES, half a second, what there is counts.
      # @param pause [#call] waits for TICK_PAUSE_S
      # @return [Object] the block's value
      def of_one_tick(pause: -> { sleep(TICK_PAUSE_S) })
        TICK_TRIES.times do
          before = @bytes.u64(Layout::TICK_SEQ)
          next pause.call if before.odd? && !@ended
          refresh
          value = yield
          return value if @ended || @bytes.u64(Layout::TICK_SEQ) == before
        end
        refresh
        yield
      end

      # A copy of the file that can be read like it. Its slots may be some units apart, as in a snapshot.
      # @return [String, nil] nil when a part was being written all the time
      def image
        refresh
        head = steady(Layout::SEQ) { guarded { @bytes.read(0, @header.slot_offset(0)) } } or return
        slots = Array.new(head.unpack1("Q<", offset: Layout::SERIES_COUNT)) do |index|
          offset = @header.slot_offset(index)
          steady(Layout::SEQ) { guarded { @bytes.read(offset, Layout::SERIES_BYTES) } }
        end
        [head, *slots].join if slots.all?
      end

      # @param ring_since [Integer, nil] nil leaves the ring out
      def snapshot(ring_since: 0)
        slots = of_one_tick { Array.new(@header.series_count) { |index| slot(index) } }
        ring = ring_since ? ring(since: ring_since) : []
        SegmentSnapshot.new(header:, setting:, slots: slots.freeze, ring: ring.freeze)
      end

      # @raise [SegmentError::NotASegment] always
      def damaged(reason)
        raise SegmentError::NotASegment.new(path: @path, reason:)
      end

      private

      def pair_count
        count = @bytes.u64(Layout::COUNTERS_OFFSET + 8 * Layout::COUNTERS.index(:pairs))
        damaged("its table of pairs has #{count} rows") if count > @header.pair_capacity
        count
      end

      def text(sequence, length_at, offset, room)
        steady(sequence) do
          length = @bytes.u64(length_at)
          damaged("one of its texts is too long") if length > room
          guarded { @bytes.read(offset, length) }.force_encoding(Encoding::UTF_8)
        end
      end

      # The block's value, if nothing was written while it ran.
      def steady(sequence)
        return yield if @ended || @header.closed?
        TRIES.times do
          # As it was after the last part, perhaps: that is earlier still.
          before = @sequences.delete(sequence) || @bytes.u64(sequence)
          value = yield if before.even?
          return value if value && before == (@sequences[sequence] = @bytes.u64(sequence))
          Thread.pass
        end
        nil
      end

      # The process died inside a unit; its log, written before, has the rest.
      def complete
        pairs = guarded { @bytes.read(Layout::LOG_OFFSET, @header.log_length * 16) }.unpack("Q<*")
        @bytes.redo!(pairs)
        refresh
      end

      def guarded
        yield
      rescue ByteReader::TooShort
        damaged("it is cut short at #{@bytes.size} bytes")
      end
    end
  end
end
