# frozen_string_literal: true

require_relative "header"
require_relative "layout"
require_relative "stacks"

module Holdup
  module Capture
    # One event of the ring. A Struct, because a Data takes three times as long for hundreds of
    # thousands.
    #
    # - `time`: ticks since the window's begin; `thread`: its number
    # - `detail`: number of a scheduler event's GVL, or what the thread's open hold has caused at a unit's
    #   edge (ticks)
    # - `unit`: the thread's, 0 for none; `waiters`: threads that wait for that GVL after the event
    Event = Struct.new(:commit, :thread, :time, :detail, :unit, :waiters, :code, :flags) do
      def kind = Layout::KINDS.fetch(code, :none)

      # The thread's phase before: one of Layout::PHASES.
      def before = Layout::PHASES[flags & 3]

      def late? = Layout::LATE.include?(kind)

      # Kind of the idle period that this event ended: one of Layout::IDLE_KINDS.
      def idle_kind
        Layout::IDLE_KINDS.fetch((flags >> Layout::IDLE_SHIFT) & 3, :io)
      end

      # `detail` of a unit's edge, which may be negative.
      def signed_detail
        (detail >= 1 << 63) ? detail - (1 << 64) : detail
      end

      # @param name [Symbol] a key of Layout::FLAGS that this kind of event has
      def flag?(name)
        flags.anybits?(Layout::FLAGS.fetch(name))
      end
    end

    # Content of a capture's file: ended, running, or of a killed process.
    #
    # - `header`; `events`: Array of Event in the order of claiming, times counted from `first_ticks`
    # - `threads`: {number => ListedThread}; `names`: {number of the series => SeriesName}
    # - `stacks`: Stacks
    # - `first_ticks`, `last_ticks`: the window, by the probe's clock
    EventLog = Data.define(:header, :events, :threads, :names, :stacks, :first_ticks, :last_ticks) do
      # @param bytes [String] the file, at least up to the last event
      # @param since [Integer] number of the first event
      # @raise [DamagedData]
      def self.parse(bytes, path:, since: 0)
        header = Header.parse(bytes, path:).whole!(bytes, path:)
        EventLogParser.new(bytes, header, path, [header.overwritten, since].max).event_log
      end

      def length_ticks = last_ticks - first_ticks

      def length_ns = header.ns(length_ticks)

      # @return [Integer, nil] ticks since the window's begin; nil for a missing event
      def time(number)
        events.first && events[(number + 1 - events.first.commit) & 0xffff_ffff]&.time
      end

      def realtime_ns(ticks)
        header.begin_real_ns + header.ns(first_ticks - header.begin_ticks + ticks)
      end
    end

    # A thread as the process listed it: its name (nil: unknown), and its phase since when, for one without
    # events.
    ListedThread = Data.define(:number, :phase, :at, :ledger, :name)

    SeriesName = Data.define(:name, :queue)

    class EventLogParser
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

      # A hole is an unfinished event: the next one of a live process, the last of a killed one.
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

      # All stacks get names like those of another sampler, if it has taken some of them.
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
