# frozen_string_literal: true

require "fileutils"
require "json"
require "holdup/model/histogram"
require "holdup/segment/layout"
require "holdup/segment/directory"

# Writes a segment as the C half does, word for word and in the same order, in pure Ruby: what the reader and
# the collector are tested with where no probe runs, and what can be made to die at any word.
class SegmentWriter
  L = Holdup::Segment::Layout
  KINDS = L::KINDS.invert.freeze
  # What `die_after:` raises in the place of a SIGKILL.
  class Died < StandardError; end

  attr_reader :path, :units

  def initialize(dir, pid: Process.pid, start: nil, capacity: 64, ring: 64, worker: -1, parent: Process.ppid,
    now_ns: nil, suffix: nil, namespace: 0)
    start ||= Holdup::Segment::OwnerProcess.new.start_of(pid) || 1
    FileUtils.mkdir_p(dir, mode: 0o700)
    @path = File.join(dir, "#{pid}-#{start}#{suffix}.segment")
    hidden = "#{@path}.new" # as C does: killed before the rename, it leaves nothing that looks like a segment
    @io = File.open(hidden, File::RDWR | File::CREAT | File::EXCL | File::BINARY, 0o600)
    @capacity = capacity
    @ring = ring
    @series = {}
    @slots = []
    @words = Hash.new(0)
    @units = 0
    write_header(pid:, start:, worker:, parent:, namespace:,
      now_ns: now_ns || Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
    File.rename(hidden, @path)
  end

  def setting=(json)
    bump(L::SETTING_SEQ)
    put(L::SETTING_OFFSET, json)
    put_word(L::SETTING_LENGTH, json.bytesize)
    bump(L::SETTING_SEQ)
  end

  # @param facts [Hash{String => Object}]
  def profile=(facts)
    json = JSON.generate(facts)
    bump(L::PROFILE_SEQ)
    put(L::PROFILE_OFFSET, json)
    put_word(L::PROFILE_LENGTH, json.bytesize)
    bump(L::PROFILE_SEQ)
  end

  # @param pools [Array<Array>] max, busy, backlog of each, and perhaps how long what waits longest has
  #   waited, and its threads were busy
  def pools=(pools)
    oldest = pools.map { |pool| pool[3] }
    pools.each_with_index do |pool, index|
      put_word(L::COUNTERS_OFFSET + (L::POOLS_BUSY_AT + index) * 8, pool[4].to_i)
    end
    pools = pools.map { |pool| pool.first(3) }
    {L::POOLS_AT => pools.flatten(1), L::POOLS_OLDEST_AT => oldest}.each do |from, values|
      values.each_with_index do |value, index|
        put_word(L::GAUGES_OFFSET + (from + index) * 8, value || L::UNKNOWN)
      end
    end
  end

  # One unit. `values`: wall:, running:, ... (histograms) and the sums by name; what is left out is 0, queued
  # nil. `die_after:` n stops after n of its writes; `ends:` is the slot that it had in the table of open
  # units.
  def record(name, kind: :request, queue: nil, pool: nil, priority: nil, error: false, path: nil,
    die_after: nil, ends: nil, **values)
    key = [kind, name, queue, pool, priority]
    base = slot(*key)
    pairs = {base + L::COUNT_OFFSET => 1, base + L::ERRORS_OFFSET => error ? 1 : 0}
    L::SUMS.each_with_index { |sum, index| pairs[base + L::SUMS_OFFSET + index * 8] = values.fetch(sum, 0) }
    changes = pairs.reject { |_, more| more.zero? }.to_h { |at, more| [at, @words[at] + more] }
    keep_path(changes, base + L::PATH_OFFSET, path) if path
    L::HISTOGRAMS.each_with_index do |histogram, index|
      value = values.fetch(histogram, (histogram == :queued) ? nil : 0)
      observe(changes, base + L.histogram_offset(index), value)
    end
    push(changes, @series.fetch(key), values)
    changes[open_offset(ends)] = @words[open_offset(ends)] + 1 if ends
    commit(changes, die_after)
    @units += 1
  end

  # Absolute sums of a thread outside of units.
  def account(name, caused: 0, running: 0, stalled: 0, idle: 0)
    base = slot(:account, name, nil)
    changes = {base + L::SUMS_OFFSET + L::SUMS.index(:caused_ns) * 8 => caused}
    {running:, stalled:, idle:}.each do |histogram, sum|
      changes[base + L.histogram_offset(L::HISTOGRAMS.index(histogram)) + 8] = sum
    end
    commit(changes, nil)
  end

  # From now on the slot is of threads of another name. Its sums go on, and those up to now stay beside them.
  def rename_account(name, other)
    index = @series.delete([:account, name, nil, nil, nil]) or raise ArgumentError, name
    @series[[:account, other, nil, nil, nil]] = index
    base = slot_offset(index)
    changes = name_words(other).transform_keys { |offset| base + offset }
    changes[base + L::GENERATION_OFFSET] = @words[base + L::GENERATION_OFFSET] + 1
    sums = Array.new(L::SUMS.size) { |sum| base + L::SUMS_OFFSET + sum * 8 }
    sums += Array.new(L::FORMER_HISTOGRAMS) { |histogram| base + L.histogram_offset(histogram) + 8 }
    sums.each_with_index { |at, place| changes[base + L::FORMER_OFFSET + place * 8] = @words[at] }
    commit(changes, nil)
  end

  # Units that ran inside others: sums only.
  def nested(wall:, running:, **sums)
    base = slot(:nested, "(nested)", nil)
    changes = {base + L::COUNT_OFFSET => @words[base + L::COUNT_OFFSET] + 1}
    more = {L.histogram_offset(0) + 8 => wall, L.histogram_offset(1) + 8 => running}
    sums.each { |name, sum| more[L::SUMS_OFFSET + L::SUMS.index(name) * 8] = sum }
    more.each { |offset, sum| changes[base + offset] = @words[base + offset] + sum }
    commit(changes, nil)
  end

  def counter(name, value)
    put_word(L::COUNTERS_OFFSET + L::COUNTERS.index(name) * 8, value)
  end

  def gauge(name, value)
    put_word(L::GAUGES_OFFSET + L::GAUGES.index(name) * 8, value)
  end

  def heartbeat(now_ns = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond))
    put_word(L::HEARTBEAT, now_ns)
  end

  # One of the slowest units, of that slot.
  # @param parts [Array<Array(Integer, Integer, Integer)>] kind, who and ns, as the probe numbers them
  # @param id [String, nil] of the request or job
  # @param values [Hash] as of `record`, and L::SLOWEST_TIMES
  def slow(index, parts: [], id: nil, **values)
    offset = L.slowest_offset(@ring)
    head = @words[offset]
    numbers = [*L::SLOWEST_TIMES.map { |name| values.fetch(name, 0) }, *parts.flatten]
    room = L::SLOWEST_BYTES - L::RING_ENTRY_BYTES - L::ID_BYTES
    tail = numbers.pack("Q<#{L::SLOWEST_TIMES.size}#{"L<2Q<" * parts.size}").ljust(room, "\0")
    place = L::SLOWEST_UNITS_AT + head % L::SLOWEST * L::SLOWEST_BYTES
    put(offset + place, ring_entry(index, head, values) + tail + id.to_s.b.ljust(L::ID_BYTES, "\0"))
    put_word(offset, head + 1)
  end

  # A unit begins in that slot of the table of open units. Words that are not given are 0.
  # @param outer [Integer, nil] slot of the unit around it
  # @param words [Hash] of L::OPEN_HEAD
  def open_unit(index, name, kind: :request, queue: nil, pool: nil, request: nil, job: nil, trace: nil,
    outer: nil, **words)
    outer &&= @words[open_offset(outer)] << 16 | (outer + 1)
    texts = {L::OPEN_QUEUE_AT => queue, L::OPEN_POOL_AT => pool, L::OPEN_REQUEST_AT => request,
             L::OPEN_JOB_AT => job}
    texts.each { |at, text| put(open_offset(index) + at, text.to_s) }
    put(open_offset(index) + L::OPEN_TRACE_AT, [trace].pack("H*")) if trace
    lengths = texts.values.map { |text| text.to_s.bytesize }
    lengths = %i[queue_bytes pool_bytes request_bytes job_bytes].zip(lengths).to_h
    words = {kind: KINDS.fetch(kind), has_trace: trace ? 1 : 0, outer: outer || 0, **lengths, **words}
    words.each { |word, value| put_word(open_word(index, word), value) }
    name_open_unit(index, name)
    bump(open_offset(index))
  end

  def name_open_unit(index, name)
    open_area(index, :name_seq, L::OPEN_NAMES_AT, L::OPEN_NAME_BYTES, [name.bytesize].pack("Q<") + name)
  end

  # @param of [Integer] the slot's sequence
  def place_open_unit(index, place, of: @words[open_offset(index)])
    bytes = [of, place.bytesize].pack("Q<2") + place
    open_area(index, :place_seq, L::OPEN_PLACES_AT, L::OPEN_PLACE_BYTES, bytes)
  end

  # @param state [Symbol] of L::OPEN_STATES
  def see_open_unit(index, state, since_ns: 0, seen_ns: 0, holder: false, call: nil,
    of: @words[open_offset(index)])
    words = [of, L::OPEN_STATES.key(state), holder ? 1 : 0, since_ns, seen_ns, call.to_s.bytesize]
    open_area(index, :seen_seq, L::OPEN_SEEN_AT, L::OPEN_SEEN_BYTES, words.pack("Q<6") + call.to_s)
  end

  def see_holder(thread, name, since_ns: 0, seen_ns: 0)
    at = L.open_offset(@ring) + L::OPEN_HOLDER_SEQ
    place = L::OPEN_HOLDERS_AT + (@words[at] + 1) % 2 * L::OPEN_HOLDER_BYTES
    put(L.open_offset(@ring) + place, [thread, since_ns, seen_ns, name.bytesize].pack("Q<4") + name)
    bump(at)
  end

  # The unit of that slot ends, and is not counted.
  def drop_open_unit(index) = bump(open_offset(index))

  def open_offset(index)
    L.open_offset(@ring) + L::OPEN_SLOTS_AT + index * L::OPEN_SLOT_BYTES
  end

  # Where a word of a slot of the table of open units is.
  # @param word [Symbol] of L::OPEN_HEAD
  def open_word(index, word) = open_offset(index) + 8 * L::OPEN_HEAD.index(word)

  # Sets a row of the table of pairs.
  # @param holder [Integer] slot + 1, or one of L::PAIR_*; likewise `victim`
  # @param kind [Symbol] of L::PAIR_KINDS
  def pair(row, victim, holder, ns, kind: :pair)
    offset = L::PAIRS_OFFSET + row * L::PAIR_BYTES
    put_word(offset, victim | (holder << 32))
    put_word(offset + 8, L::PAIR_KINDS.index(kind))
    put_word(offset + 16, ns)
    at = L::COUNTERS_OFFSET + 8 * L::COUNTERS.index(:pairs)
    put_word(at, [@words[at].to_i, row + 1].max)
  end

  # Any word, to damage a file with.
  def put_word(offset, value)
    @words[offset] = value
    put(offset, [value].pack("Q<"))
  end

  def slot_offset(index)
    L.series_offset(@ring) + index * L::SERIES_BYTES
  end

  def close
    put_word(L::STATE, L::CLOSED)
    @io.close
  end

  # Applies all units of the block at once and without a log: for benchmarks, which need many.
  def in_bulk
    @bulk = {}
    yield
    put_word(L::SEQ, @words[L::SEQ] + 1)
    @bulk.each { |offset, value| put_word(offset, value) }
    put_word(L::SEQ, @words[L::SEQ] + 1)
  ensure
    @bulk = nil
  end

  # The process is gone and said nothing.
  def abandon = @io.close

  private

  # Kind and length are one word, and the name's room is whole words.
  def name_words(name)
    offset, room = L::SERIES_TEXTS.fetch(:name)
    words = name.b.ljust(room, "\0").unpack("Q<*")
    {0 => [KINDS.fetch(:account), name.bytesize].pack("L<2").unpack1("Q<"),
     **words.each_with_index.to_h { |word, index| [offset + index * 8, word] }}
  end

  def write_header(pid:, start:, worker:, parent:, namespace:, now_ns:)
    put(0, "\0" * L.open_offset(@ring))
    @io.truncate(L.series_offset(@ring)) # with a hole where no unit is open
    put_word(L.open_offset(@ring), L::OPEN_UNITS)
    slots = [@capacity, L.series_offset(@ring), L::SERIES_BYTES]
    ring = [L::RING_OFFSET, @ring, L::RING_ENTRY_BYTES, 0]
    log = [L::LOG_OFFSET, 0, L::SETTING_OFFSET, 0, 0]
    state = [L::LIVE, now_ns, worker, 0, parent, 0, 0, namespace]
    fields = [L::VERSION, L::HEADER_BYTES, pid, start, now_ns, 0, 0, *slots, *ring, *log, *state]
    put(8, fields.pack("L<2 Q<19 q< Q<5"))
    L::GAUGE_SLOTS.times { |index| put_word(L::GAUGES_OFFSET + index * 8, L::UNKNOWN) }
    put(0, L::MAGIC)
  end

  def slot(kind, name, queue, pool = nil, priority = nil)
    slot_offset(@series[[kind, name, queue, pool, priority]] ||= append(kind, name, queue, pool, priority))
  end

  def append(kind, *texts)
    index = @series.size
    raise "no room for another series" if index >= @capacity
    put(slot_offset(index), "\0" * L::SERIES_BYTES)
    sizes = texts.map { |text| text.to_s.bytesize }
    put(slot_offset(index), [KINDS.fetch(kind), *sizes].pack(L::SERIES_HEAD))
    L::SERIES_TEXTS.each_value.zip(texts) { |(offset, _), text| put(slot_offset(index) + offset, text.to_s) }
    L::HISTOGRAMS.each_index do |histogram|
      put_word(slot_offset(index) + L.histogram_offset(histogram) + 40, L::BUCKETS)
    end
    put_word(L::SERIES_COUNT, index + 1)
    index
  end

  def keep_path(changes, at, path)
    return if @words[at].positive?
    put(at + 8, path)
    changes[at] = path.bytesize
  end

  def observe(changes, base, value)
    return if value.nil?
    count, sum, min, max, zero, lo, hi = (0..6).map { |index| base + index * 8 }
    changes[count] = @words[count] + 1
    changes[sum] = @words[sum] + value
    changes[min] = value if @words[count].zero? || value < @words[min]
    changes[max] = value if value > @words[max]
    return changes[zero] = @words[zero] + 1 if value <= Holdup::Histogram::Buckets::FLOOR_NS
    bucket = Holdup::Histogram::Buckets.slot(value)
    word = base + L::BUCKETS_OFFSET + bucket * 8
    changes[word] = @words[word] + 1
    changes[lo] = bucket if bucket < @words[lo]
    changes[hi] = bucket if bucket > @words[hi]
  end

  def push(changes, index, values)
    head = @words[L::RING_HEAD]
    put(L::RING_OFFSET + head % @ring * L::RING_ENTRY_BYTES, ring_entry(index, head, values))
    changes[L::RING_HEAD] = head + 1
  end

  def ring_entry(index, head, values)
    counted = %i[wall running cpu_ns idle stalled acquisitions longest_hold gc_ns]
    entry = [
      values.fetch(:start_ns, head),
      index,
      *counted.map { |name| values.fetch(name, 0) },
      values[:queued] || L::UNKNOWN,
      values.fetch(:in_flight_milli, 1000),
      values.fetch(:before, 0),
      values.fetch(:trace, L::NO_TRACE)
    ]
    entry.pack(L::RING_ENTRY)
  end

  # Log, odd, words, even; with `die_after` only the first so many writes.
  def commit(changes, die_after)
    if @bulk
      @words.merge!(changes)
      return @bulk.merge!(changes)
    end
    put(L::LOG_OFFSET, changes.to_a.flatten.pack("Q<*"))
    put_word(L::LOG_LENGTH, changes.size)
    writes = [[L::SEQ, @words[L::SEQ] + 1], *changes, [L::SEQ, @words[L::SEQ] + 2]]
    writes.first(die_after || writes.size).each { |offset, value| put_word(offset, value) }
    raise Died if die_after && die_after < writes.size
  end

  # The area of the two that does not count now, and then the sequence which says that it does.
  def open_area(index, sequence, areas_at, area_bytes, bytes)
    word = open_word(index, sequence)
    put(open_offset(index) + areas_at + (@words[word] + 1) % 2 * area_bytes, bytes)
    bump(word)
  end

  def bump(offset) = put_word(offset, @words[offset] + 1)

  def put(offset, bytes) = @io.pwrite(bytes, offset)
end
