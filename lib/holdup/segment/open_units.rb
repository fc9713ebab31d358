# frozen_string_literal: true

require_relative "layout"

module Holdup
  module Segment
    # A request or job that had begun and not ended when the segment was read.
    #
    # - `kind`: :request or :job; `name`: of a request without one yet, its method and the first segment of
    #   its path
    # - `queue`, `pool`: String or nil
    # - `started_ns`: real time; `thread`: id of its native thread, nil where threads share them
    # - `trace_id`, `request_id`, `job_id`: String or nil
    # - `state`: :running, :gvl (it waits for the GVL), :idle (io, lock or sleep: not known yet), :connection
    #   (it waits for one), :call; nil when nobody has looked
    # - `since_ns`: since when it is in that state, or nil; `seen_ns`: when that was looked at, or nil
    # - `holder`: whether its thread held the GVL then
    # - `call`: the call that it was in, "sql primary"; `place`: where its stack was sampled last
    # - `objects`: that the process had allocated when it began, or nil
    # - `outer`: the place of the unit around it in the list, or nil
    OpenUnit = Data.define(
      :kind, :name, :queue, :pool, :started_ns, :thread, :trace_id, :request_id, :job_id, :state, :since_ns,
      :seen_ns, :holder, :call, :place, :objects, :outer
    )

    # Who held the main Ractor's GVL when somebody looked last.
    #
    # - `holder_thread`: id of its native thread, nil: nobody, or unknown
    # - `holder_name`: what it did, the name of a request, a job or an account ("thread:main"), or nil
    # - `held_since_ns`, `seen_ns`: real time, or nil
    OpenState = Data.define(:holder_thread, :holder_name, :held_since_ns, :seen_ns)

    # One slot of the table of open units, as it is between two equal readings of its head.
    class OpenSlot
      HEAD = "Q<#{Layout::OPEN_HEAD.size}"
      PLACE_OF_SLOT = 16

      # @param bytes [String] the head, and perhaps more
      # @return [Array<Integer>] the numbers of the head
      def self.head(bytes) = bytes.unpack(HEAD)

      # @param index [Integer] of the slot; `bytes`: all of it
      def initialize(index, bytes)
        @index = index
        @bytes = bytes
        @head = Layout::OPEN_HEAD.zip(self.class.head(bytes)).to_h
      end

      # @return [Array(Integer, Integer)] sequence and index, by which others name it
      def key = [@head[:seq], @index]

      # @return [Array(Integer, Integer), nil] the key of the unit around it
      def outer
        packed = @head[:outer]
        place = packed & ((1 << PLACE_OF_SLOT) - 1)
        [packed >> PLACE_OF_SLOT, place - 1] if place.positive?
      end

      # @return [Boolean] whether it is what the probe writes
      def plausible?
        Layout::KINDS.key?(@head[:kind]) && lengths.all? { |length, room| length <= room } &&
          @head[:started_ns] <= Layout::MAX_NUMBER
      end

      # @param places [Hash{Array => Integer}] of the keys in the list
      # @return [OpenUnit]
      def to_unit(places)
        OpenUnit.new(
          kind: Layout::KINDS.fetch(@head[:kind]), name:, started_ns: @head[:started_ns],
          queue: text(Layout::OPEN_QUEUE_AT, @head[:queue_bytes]),
          pool: text(Layout::OPEN_POOL_AT, @head[:pool_bytes]),
          request_id: text(Layout::OPEN_REQUEST_AT, @head[:request_bytes]),
          job_id: text(Layout::OPEN_JOB_AT, @head[:job_bytes]),
          trace_id: @head[:has_trace].zero? ? nil : @bytes.unpack1("H32", offset: Layout::OPEN_TRACE_AT),
          thread: known(@head[:thread]), place:, outer: places[outer],
          objects: (@head[:objects] == Layout::UNKNOWN) ? nil : @head[:objects], **seen
        )
      end

      private

      UNSEEN = {state: nil, since_ns: nil, seen_ns: nil, holder: false, call: nil}.freeze
      private_constant :UNSEEN

      def lengths
        [[@head[:queue_bytes], Layout::OPEN_POOL_AT - Layout::OPEN_QUEUE_AT],
          [@head[:pool_bytes], Layout::OPEN_REQUEST_AT - Layout::OPEN_POOL_AT],
          [@head[:request_bytes], Layout::ID_BYTES], [@head[:job_bytes], Layout::ID_BYTES],
          [u64(name_at), Layout::OPEN_NAME_BYTES - 8], [u64(place_at + 8), Layout::OPEN_PLACE_BYTES - 16],
          [u64(seen_at + 40), Layout::OPEN_SEEN_BYTES - 48]]
      end

      def name_at = Layout::OPEN_NAMES_AT + @head[:name_seq] % 2 * Layout::OPEN_NAME_BYTES

      def place_at = Layout::OPEN_PLACES_AT + @head[:place_seq] % 2 * Layout::OPEN_PLACE_BYTES

      def seen_at = Layout::OPEN_SEEN_AT + @head[:seen_seq] % 2 * Layout::OPEN_SEEN_BYTES

      def name = text(name_at + 8, u64(name_at)).to_s

      # A sample of the unit that had the slot before is none of this one.
      def place
        of, length = @bytes.unpack("Q<2", offset: place_at)
        text(place_at + 16, length) if of == @head[:seq]
      end

      def seen
        of, number, holder, since, seen, length = @bytes.unpack("Q<6", offset: seen_at)
        return UNSEEN unless of == @head[:seq]
        {state: Layout::OPEN_STATES[number], since_ns: known(since), seen_ns: seen, holder: holder == 1,
         call: text(seen_at + 48, length)}
      end

      def known(number) = number.zero? ? nil : number

      def u64(offset) = @bytes.unpack1("Q<", offset:)

      def text(offset, length)
        return if length.zero?
        @bytes.byteslice(offset, length).force_encoding(Encoding::UTF_8).scrub("?").tr("\0", "?")
      end
    end

    # Reads the table of open units: a slot at a time, each consistent in itself.
    class OpenUnits
      TRIES = 40
      STARTED_AT = Layout::OPEN_HEAD.index(:started_ns) * 8
      private_constant :STARTED_AT

      # @param bytes [ByteReader]; `header`: Header
      def initialize(bytes, header)
        @bytes = bytes
        @at = header.open_offset
      end

      # @param begun_by_ns [Integer, nil] nil: all
      # @return [Array<OpenUnit>]
      # @raise [ByteReader::TooShort]
      def units(begun_by_ns: nil)
        slots = open_slots(begun_by_ns).filter_map { |index| slot(index) }
        places = slots.each_with_index.to_h { |slot, place| [slot.key, place] }
        slots.map { |slot| slot.to_unit(places) }.freeze
      end

      # @return [Integer] units that got no slot, because all were taken
      def beyond = @bytes.u64(@at + 8)

      # @return [OpenState]
      # @raise [ByteReader::TooShort]
      def state
        TRIES.times do
          sequence = @bytes.u64(@at + Layout::OPEN_HOLDER_SEQ)
          return NOBODY if sequence.zero?
          offset = @at + Layout::OPEN_HOLDERS_AT + sequence % 2 * Layout::OPEN_HOLDER_BYTES
          bytes = @bytes.read(offset, Layout::OPEN_HOLDER_BYTES)
          return holder(bytes) if @bytes.u64(@at + Layout::OPEN_HOLDER_SEQ) == sequence
        end
        NOBODY
      end

      private

      NOBODY = OpenState.new(holder_thread: nil, holder_name: nil, held_since_ns: nil, seen_ns: nil)
      private_constant :NOBODY

      # Slots that have a unit. Those without space read as zeros.
      def open_slots(begun_by_ns)
        used = [@bytes.u64(@at), Layout::OPEN_UNITS].min
        table = @bytes.read(@at + Layout::OPEN_SLOTS_AT, used * Layout::OPEN_SLOT_BYTES)
        used.times.select do |index|
          offset = index * Layout::OPEN_SLOT_BYTES
          table.getbyte(offset).odd? && begun?(table, offset, begun_by_ns)
        end
      end

      def begun?(table, offset, by_ns)
        by_ns.nil? || table.unpack1("Q<", offset: offset + STARTED_AT) <= by_ns
      end

      # @return [OpenSlot, nil] nil when its unit has ended, or it was being written all the time
      def slot(index)
        offset = @at + Layout::OPEN_SLOTS_AT + index * Layout::OPEN_SLOT_BYTES
        before = OpenSlot.head(@bytes.read(offset, Layout::OPEN_HEAD_BYTES))
        TRIES.times do
          return if before.first.even?
          bytes = @bytes.read(offset, Layout::OPEN_SLOT_BYTES)
          after = OpenSlot.head(@bytes.read(offset, Layout::OPEN_HEAD_BYTES))
          return checked(index, bytes) if before == after && before == OpenSlot.head(bytes)
          before = after
        end
        nil
      end

      def checked(index, bytes)
        slot = OpenSlot.new(index, bytes)
        slot if slot.plausible?
      end

      def holder(bytes)
        thread, since, seen, length = bytes.unpack("Q<4")
        name = bytes.byteslice(32, [length, Layout::OPEN_HOLDER_BYTES - 32].min)
        name = name.force_encoding(Encoding::UTF_8).scrub("?").tr("\0", "?")
        OpenState.new(holder_thread: thread.zero? ? nil : thread, holder_name: name.empty? ? nil : name,
          held_since_ns: since.zero? ? nil : since, seen_ns: seen.zero? ? nil : seen)
      end
    end
  end
end
