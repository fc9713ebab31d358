# frozen_string_literal: true

require_relative "header"
require_relative "layout"
require_relative "stacks"

module Holdup
  module Capture
    # One event of the ring. A Struct: there are hundreds of thousands, and a Data takes three times as long.
    #
    # - `time`: ticks since the window's begin; `thread`: number of the thread
    # - `detail`: of a scheduler's event the ledger, of a unit's edge what the thread's open hold has caused
    #   (ticks)
    # - `unit`: the one that the thread is in, 0 for none; `waiters`: threads that wait for that GVL, after
    #   the event
    Event = Struct.new(:commit, :thread, :time, :detail, :unit, :waiters, :code, :flags) do
      # @return [Symbol] one of Layout::KINDS
      def kind = Layout::KINDS.fetch(code, :none)

      # @return [Symbol] one of Layout::PHASES: what the thread was in before
      def before = Layout::PHASES[flags & 3]

      def late? = Layout::LATE.include?(kind)

      # @return [Symbol] one of Layout::IDLE_KINDS, of the idle period that this event ended
      def idle_kind
        Layout::IDLE_KINDS.fetch((flags >> Layout::IDLE_SHIFT) & 3, :io)
      end

      # @return [Integer] `detail` of a unit's edge, which may be negative
      def signed_detail
        (detail >= 1 << 63) ? detail - (1 << 64) : detail
      end

      # @param name [Symbol] a key of Layout::FLAGS that this kind of event has
      def flag?(name)
        flags.anybits?(Layout::FLAGS.fetch(name))
      end
    end

    # What is in the file of a capture: of one that ended, that goes on, or whose process was killed.
    #
    # - `header`; `events`: Array of Event in the order in which they were claimed, times counted from
    #   `first_ticks`
    # - `threads`: {number => ListedThread}; `names`: {number of the series => SeriesName}
    # - `stacks`: Stacks
    # - `first_ticks`, `last_ticks`: the window, by the probe's clock
    EventLog = Data.define(:header, :events, :threads, :names, :stacks, :first_ticks, :last_ticks) do
      # @param bytes [String] the whole file, or its start up to the last event
      # @param since [Integer] number of the first event that is wanted
      # @raise [DamagedData]
      def self.parse(bytes, path:, since: 0)
        header = Header.parse(bytes, path:).whole!(bytes, path:)
        EventLogParser.new(bytes, header, path, [header.overwritten, since].max).event_log
      end

      # @return [Integer] of the window
      def length_ticks = last_ticks - first_ticks

      def length_ns = header.ns(length_ticks)

      # @param number [Integer] of an event
      # @return [Integer, nil] when it was, ticks since the window's begin; nil: it is not there
      def time(number)
        events.first && events[(number + 1 - events.first.commit) & 0xffff_ffff]&.time
      end

      # @param ticks [Integer] since the window's begin
      # @return [Integer] ns since 1970
      def realtime_ns(ticks)
        header.begin_real_ns + header.ns(first_ticks - header.begin_ticks + ticks)
      end
    end

    # A thread as the process listed it: its name (nil: unknown), and what it was in since when, for one
    # without events.
    ListedThread = Data.define(:number, :phase, :at, :ledger, :name)

    # How a series of units is called.
    SeriesName = Data.define(:name, :queue)

    # Reads the tables of a file.
    class EventLogParser
      # @param since [Integer] number of the first event
      def initialize(bytes, header, path, since)
        @bytes = bytes
        @header = header
        @path = path
        @since = since
      end

      def event_log
        events = self.events
        first = first_ticks(events)
        last = [@header.end_ticks, *events.map(&:time)].max
        events.each { |event| event.time = [event.time - first, 0].max }
        EventLog.new(header: @header, events:, threads:, names:, stacks:, first_ticks: first,
          last_ticks: [last, first].max)
      end

      private

      def first_ticks(events)
        return @header.begin_ticks if @since.zero?
        events.find { |event| !event.late? }&.time || @header.begin_ticks
      end

      # A hole is an unfinished event: of a live process the next one, of a killed one its last.
      def events
        numbers = (@since...@header.head).each
        found = numbers.lazy.map { |number| event(number) }
        found.drop_while(&:nil?).take_while(&:itself).to_a
      end

      def event(number)
        index = number & (@header.capacity - 1)
        event = Event.new(*row(@header.events_offset, index, Layout::EVENT_BYTES, Layout::EVENT_FORMAT))
        event if event.commit == (number + 1) & 0xffff_ffff
      end

      def threads
        Array.new(@header.thread_count) { |index| thread(index) }.to_h { |thread| [thread.number, thread] }
      end

      def thread(index)
        number, phase, at, ledger, length, name =
          row(@header.threads_offset, index, Layout::THREAD_BYTES, Layout::THREAD_FORMAT)
        phase = Layout::PHASES.fetch(phase, :unknown)
        ListedThread.new(number:, phase:, at:, ledger:, name: text(name, length))
      end

      def names
        (0...@header.name_capacity).each_with_object({}) do |index, names|
          bytes, queue_bytes, name, queue =
            row(@header.names_offset, index, Layout::NAME_BYTES, Layout::NAME_FORMAT)
          names[index] = SeriesName.new(text(name, bytes), text(queue, queue_bytes)) if bytes.positive?
        end
      end

      def stacks
        header = @header.stacks
        frames = Array.new(header.frame_count) { |index| frame(index) }
        Stacks.new(table: frames, nodes: nodes(header), first_event: header.first_event)
      end

      def nodes(header)
        return [] if header.node_count.zero?
        row(header.nodes_offset, 0, header.node_count * Layout::NODE_BYTES, "L<#{header.node_count * 3}")
      end

      # Where another sampler has taken some stacks, all of them have names like its own.
      def frame(index)
        label_bytes, path_bytes, line, _, label, path =
          row(@header.stacks.frames_offset, index, Layout::FRAME_BYTES, Layout::FRAME_FORMAT)
        frame = Frame.new(label: text(label, label_bytes) || "?", path: text(path, path_bytes), line:, at: 0)
        @header.facts.key?("sampler") ? frame.plain : frame
      end

      def text(bytes, length)
        if length.between?(1, bytes.bytesize)
          bytes.byteslice(0, length).force_encoding(Encoding::UTF_8).scrub("?")
        end
      end

      def row(offset, index, size, format)
        at = offset + index * size
        if at + size > @bytes.bytesize
          raise Header.refusal(@path, "it is cut short at #{@bytes.bytesize} bytes")
        end
        @bytes.unpack(format, offset: at)
      end
    end
    private_constant :EventLogParser
  end
end
