# frozen_string_literal: true

# Writes the file of a capture as the probe does, for tests of who reads it: one tick is one ns. Threads and
# units are numbers; a thread's phase before an event is kept track of.
class EventRing
  CODES = %i[none begin ready resumed suspended started exited unit_open unit_start unit_end unit_turn
    unit_named gc_start gc_end fork setting stack_held stack_stalled unit_trace
    pool_wait].each_with_index.to_h.freeze
  PHASES = {ready: 2, resumed: 1, suspended: 3}.freeze
  KINDS = {io: 0, lock: 1, sleep: 2}.freeze
  CAPACITY = 4096

  def initialize(names: ["GET /hog", "GET /light"], threads: {1 => "main", 2 => "srv 1", 3 => "srv 2"})
    @names = names
    @threads = threads
    @events = []
    @phase = Hash.new(0)
    @frames = []
    @nodes = []
    @holder = nil
  end

  # @return [self] the thread runs when the window begins
  def running(thread)
    tap { @phase[thread] = 1 and @holder = thread }
  end

  # @return [self] the thread is idle when the window begins
  def idle(thread)
    tap { @phase[thread] = 3 }
  end

  # @return [self]
  def ready(thread, at, kind: :io, yielded: false, unit: 0)
    tap { event(:ready, thread, at, unit:, flags: (KINDS.fetch(kind) << 4) | (yielded ? 64 : 0) | closing) }
  end

  # @return [self]
  def resumed(thread, at, unit: 0)
    tap do
      event(:resumed, thread, at, unit:, flags: closing)
      @holder = thread
      @ended = false
    end
  end

  # @return [self]
  def suspended(thread, at, unit: 0)
    tap do
      event(:suspended, thread, at, unit:)
      @ended = true
    end
  end

  # @return [self] the thread starts
  def started(thread, at)
    tap { event(:started, thread, at) }
  end

  # @return [self] the thread ends
  def exited(thread, at)
    tap { event(:exited, thread, at) }
  end

  # @return [self] a unit from one tick to another, whose events are written by the block
  def unit(number, thread, from, to, name:)
    begins(number, thread, from)
    yield
    ends(number, thread, to, name:)
  end

  # @param caused [Integer] ticks, by the thread's open hold so far
  # @return [self]
  def begins(number, thread, at, caused: 0)
    tap { event(:unit_start, thread, at, unit: number, detail: caused) }
  end

  # @param trace [String, nil] 32 hexadecimal digits
  # @return [self]
  def ends(number, thread, at, name:, trace: nil)
    event(:unit_end, thread, at, unit: number, detail: 0)
    trace&.scan(/.{16}/)&.each_with_index { |half, index|
      event(:unit_trace, thread, at, unit: number, detail: half.hex, flags: index.zero? ? 4 : 0)
    }
    tap { event(:unit_named, thread, at, unit: number, detail: @names.index(name)) }
  end

  # @return [self]
  def collected(thread, from, to)
    tap { event(:gc_start, thread, from) and event(:gc_end, thread, to) }
  end

  # @return [self] a wait for a connection has ended
  def pool_wait(thread, at, length, unit: 0)
    tap { event(:pool_wait, thread, at, unit:, detail: length) }
  end

  # @param frames [Array<Array(String, String, Integer)>] label, path and line of each, the innermost first
  # @return [self]
  def stack(thread, at, *frames, kind: :held, unit: 0)
    tap {
      event(:"stack_#{kind}", thread, at, unit:,
        detail: frames.reverse.inject(0) { |parent, frame| node(parent, frame) })
    }
  end

  # @return [String] the file, of a window from 0 to `to`
  def bytes(to:, closed: true, version: 2)
    threads_at = 4096
    names_at = threads_at + @threads.size * 96
    frames_at = names_at + @names.size * 272
    nodes_at = frames_at + @frames.size * 320
    events_at = nodes_at + @nodes.size * 12
    times = [closed ? to : 0, 1_790_000_000_000_000_000, 1 << 32]
    events = [@events.size, CAPACITY, 32]
    threads = [threads_at, @threads.size, 96, @threads.size]
    names = [names_at, @names.size, 272]
    fields = ["HOLDUPEV", version, 4096, 7, 8, 0, *times, *events, *threads, *names]
    header = [*fields, events_at, closed ? 1 : 0, 10_000, 0, -1].pack("a8L<2Q<20q<")
    stacks = [frames_at, @frames.size, 320, @frames.size, nodes_at, @nodes.size, 12, @nodes.size, 10_000_000,
      @nodes.size, 0, 0, 20_000, 30_000].pack("Q<14")
    (header.ljust(384, "\0") + stacks).ljust(4096,
      "\0") + @threads.map { |number, name|
                [number, 0, 0, 1, name.bytesize, name,
                  0].pack("L<2Q<L<2a64Q<")
              }.join +
      @names.map { |name| [name.bytesize, 0, name, ""].pack("L<2a200a64") }.join +
      @frames.map { |label, path, line|
        [label.bytesize, path.to_s.bytesize, line, 0, label,
          path.to_s].pack("L<4a120a184")
      }.join +
      @nodes.map { |node| node.pack("L<3") }.join + @events.join
  end

  # @return [Holdup::Capture::EventLog]
  def recording(to:)
    Holdup::Capture::EventLog.parse(bytes(to:), path: "the ring")
  end

  private

  # The number of a frame that was called by the node `parent`.
  def node(parent, frame)
    found = [parent, number(@frames, frame), frame.last + 1]
    number(@nodes, found)
  end

  def number(table, entry)
    (table.index(entry) || table.push(entry).size - 1) + 1
  end

  # The event after a SUSPENDED is what closes the hold.
  def closing
    (@ended && @holder) ? 4.tap { @holder = nil } : 0
  end

  def event(kind, thread, at, unit: 0, detail: 1, flags: 0)
    @events << [@events.size + 1, thread, at, detail, unit, 0, CODES.fetch(kind),
      flags | @phase[thread]].pack("L<2Q<2L<S<C2")
    @phase[thread] = PHASES.fetch(kind, @phase[thread])
  end
end
