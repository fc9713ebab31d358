# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/model/measurement"
require "holdup/segment/directory"

# The C writer and the Ruby reader are two hands that write one layout: what C records, Ruby reads, number by
# number, and where Ruby's own writer puts a word, C puts it too.
class SegmentTest < Minitest::Test
  include FreshRuby

  L = Holdup::Segment::Layout

  def setup
    @dir = Dir.mktmpdir("holdup-native-segment")
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def test_what_c_records_ruby_reads
    write(<<~RUBY)
      3.times { Holdup::Probe.record(Holdup::Probe.enter.tap { burn }, 1, "A#b", nil, 7_000, false) }
      Holdup::Probe.record(Holdup::Probe.enter, 2, "J", "low", nil, true)
      Holdup::Probe.setting = %({"threads":5})
    RUBY
    snapshot = read
    request = snapshot.slot("A#b")
    job = snapshot.slot("J", kind: :job, queue: "low")
    assert_equal [3, 0, 1, 1], [request.count, request.errors, job.count, job.errors]
    assert_equal [Holdup::Histogram.of([7_000] * 3), 0],
      [request.histogram(:queued), job.histogram(:queued).count]
    assert_equal({"threads" => 5}, snapshot.setting.attributes)
    assert_equal [3, 7, 4],
      [snapshot.header.worker_index, snapshot.header.generation, snapshot.counters[:units]]
    assert_predicate snapshot.header, :closed?
  end

  def test_only_this_user_may_read_it
    before = File.umask(0)
    write("")
    assert_equal 0o600, File.stat(path).mode & 0o777
  ensure
    File.umask(before)
  end

  # Else no collector could read it, and nothing would say so where it was written.
  def test_this_user_may_read_it_whatever_the_umask
    before = File.umask(0o777)
    write("")
    assert_equal 0o600, File.stat(path).mode & 0o777
  ensure
    File.umask(before)
  end

  def test_jobs_of_another_pool_or_priority_are_apart
    write(<<~RUBY)
      queues = [[nil, nil], ["default", nil], ["default", "5"], ["default", "5"], ["d" * 70, "5" * 20]]
      queues.each do |pool, priority|
        Holdup::Probe.record(Holdup::Probe.enter, 2, "J", "low", nil, false, pool, priority)
      end
    RUBY
    jobs = read.slots.select { |slot| slot.series.kind == :job }
    assert_equal [[nil, nil, 1], ["default", nil, 1], ["default", "5", 2], ["d" * 64, "5" * 16, 1]],
      jobs.map { |slot| [slot.series.pool, slot.series.priority, slot.count] }
    assert_equal ["low"], jobs.map { |slot| slot.series.queue }.uniq
  end

  # Threads of a pool are busy for as long as their units take, also those that go on; what runs inside of a
  # unit takes no thread.
  def test_for_how_long_the_threads_of_each_pool_were_busy
    write(<<~RUBY)
      Holdup::Probe.pools = ["db primary", "jobs", "web"]
      web = lambda do
        handle = Holdup::Probe.enter("web")
        sleep 0.01
        Holdup::Probe.record(handle, 1, "A", nil, nil, false)
      end
      units = Array.new(3) { Thread.new(&web) }
      units << Thread.new do
        handle = Holdup::Probe.enter("jobs")
        inner = Holdup::Probe.enter
        burn
        Holdup::Probe.record(inner, 2, "I", nil, nil, false)
        Holdup::Probe.record(handle, 2, "J", nil, nil, false)
      end
      units << Thread.new { Holdup::Probe.cancel(Holdup::Probe.enter("elsewhere")) }
      units.each(&:join)
      Holdup::Probe.tick([nil] * 32 + [5, 1, 0] * 3)
    RUBY
    snapshot = read
    db, jobs, web = snapshot.header.pools.map { |pool| pool[:busy_ns] }
    assert_nil db
    assert_in_delta snapshot.slot("A").histogram(:wall).sum, web, 1000
    assert_in_delta snapshot.slot("J", kind: :job).histogram(:wall).sum, jobs, 1000
  end

  def test_an_open_unit_counts_up_to_the_tick
    write(<<~RUBY)
      Holdup::Probe.pools = ["web"]
      handle = Holdup::Probe.enter("web")
      sleep 0.02
      Holdup::Probe.tick([nil] * 32 + [5, 1, 0])
      Holdup::Probe.pools = ["x" * 64, "web"]
      Holdup::Probe.tick([nil] * 32 + [5, 1, 0] * 2)
      Holdup::Probe.cancel(handle)
    RUBY
    other, web = read.header.pools.map { |pool| pool[:busy_ns] }
    assert_nil other
    assert_operator web, :>=, 20_000_000
  end

  # Only names that were changed count as cleaned.
  def test_names_in_any_script
    names = ["日本語", "🍣", "é" * 100, "invalid \xFF", "あ" * 80, "a\0b"]
    write(<<~RUBY)
      names = Marshal.load(#{Marshal.dump(names).dump})
      names.each { |name| Holdup::Probe.record(Holdup::Probe.enter, 1, name, nil, nil, false) }
    RUBY
    snapshot = read
    units = snapshot.slots.map { |slot| slot.series }.select(&:unit?)
    assert_equal ["日本語", "🍣", "é" * 100, "invalid ?", "あ" * 66, "a?b"],
      units.reject { |one| one.kind == :overflow }.map(&:name)
    assert_equal 3, snapshot.counters[:sanitised]
  end

  # The first that can be asked again; of requests, and never of what is too many.
  def test_a_path_of_each_series_is_kept
    write(<<~RUBY)
      show = lambda do |kind, name, *paths|
        paths.each do |path|
          Holdup::Probe.record(Holdup::Probe.enter, kind, name, nil, nil, false, nil, nil, nil, path)
        end
      end
      show.call(1, "A#b", nil, 7, "", "orders", "/a b", "/\u00e4", "/a\n", "/\#{"x" * 120}",
        "/orders/7", "/orders/8")
      show.call(1, "A#c", "/\#{"x" * 119}")
      show.call(2, "J", "/jobs")
      17.times { |number| show.call(1, "B\#{number}", "/b/\#{number}") }
      2.times { show.call(1, "B17", "/b/17") }
    RUBY
    slots = read.slots.to_h { |slot| [slot.series.name, slot] }
    assert_equal ["/orders/7", "/#{"x" * 119}", nil, "/b/16"],
      %w[A#b A#c J B16].map { |name| slots.fetch(name).path }
    assert_equal [2, nil], slots.fetch("(series beyond the limit)").then { |slot| [slot.count, slot.path] }
  end

  def test_a_process_reads_its_own_segment
    write(<<~RUBY)
      Holdup::Probe.record(Holdup::Probe.enter, 1, "A#b", nil, nil, false)
      header = Holdup::Probe.read_segment(0, 4096)
      count, start = header.unpack1("Q<", offset: 48), header.unpack1("Q<", offset: 64)
      size = start + count * #{L::SERIES_BYTES}
      written = File.binread(#{File.join(@dir, "1-1.segment").dump}, size)
      raise "not all of it" unless Holdup::Probe.read_segment(0, size) == written
      beyond = [[0, size + 1], [size + 1, 0], [8, 2**64 - 4]]
      raise "beyond" if beyond.any? { |range| Holdup::Probe.read_segment(*range) }
      Holdup::Probe.close_segment
      raise "closed" if Holdup::Probe.read_segment(0, 8)
    RUBY
    assert_predicate read.header, :closed?
  end

  # wall = running + stalled + idle holds for sums, and the ring tells the same units as the histograms.
  def test_histograms_sums_and_ring_agree
    write(<<~RUBY)
      30.times do |n|
        handle = Holdup::Probe.enter
        burn(n * 300)
        Holdup::Probe.record(handle, 1, "A#b", nil, n * 1_000_000, n.even?)
      end
    RUBY
    snapshot = read
    slot = snapshot.slot("A#b")
    {wall: :wall_ns, running: :running_ns, stalled: :stalled_ns, idle: :idle_ns, queued: :queued_ns,
     longest_hold: :longest_hold_ns}.each do |histogram, field|
      assert_equal Holdup::Histogram.of(snapshot.ring.map { |entry| entry.public_send(field) }),
        slot.histogram(histogram), histogram
    end
    assert_equal slot.histogram(:wall).sum, %i[running stalled idle].sum { |name| slot.histogram(name).sum }
    assert_equal slot.named_sums[:acquisitions], snapshot.ring.sum(&:acquisitions)
    assert_equal [15, 30], [slot.errors, slot.count]
  end

  # The first begins with an unknown history, the second after a rest, the third and fourth while others run.
  def test_how_units_began
    write(<<~RUBY)
      run = lambda do |&inside|
        handle = Holdup::Probe.enter
        inside&.call
        Holdup::Probe.record(handle, 1, "A#b", nil, nil, false)
      end
      run.call
      rested = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.02
      Thread.pass until Process.clock_gettime(Process::CLOCK_MONOTONIC) > rested
      run.call { run.call { run.call } }
    RUBY
    first, innermost, inner, outer = read.ring
    assert_equal [[nil, nil], [2, 0], [1, 0]],
      [first, innermost, inner].map { |entry| [entry.concurrency, entry.rest_ns] }
    assert_equal 0, outer.concurrency
    assert_in_delta outer.start_ns - first.start_ns - first.wall_ns, outer.rest_ns, 0.1 * outer.rest_ns
    assert_operator outer.rest_ns, :>=, 20_000_000
  end

  def test_both_writers_put_the_same_words_in_the_same_places
    script = 'Holdup::Probe.record(Holdup::Probe.enter, 1, "A#b", nil, 5_000, false, ' \
      'nil, nil, nil, "/orders/7")'
    write(script, ring: 64)
    slot = read.slot("A#b")
    ours = SegmentWriter.new(File.join(@dir, "ours"), ring: 64, worker: 3)
    ours.record("A#b", path: "/orders/7", **slot.named_sums,
**L::HISTOGRAMS.to_h { |name| [name, slot.histogram(name).sum] })
    theirs_bytes = slot_bytes(File.binread(path), read.slots.index(slot))
    ours_bytes = slot_bytes(File.binread(ours.path), 0)
    assert_equal ours_bytes.unpack("Q<*"), theirs_bytes.unpack("Q<*")
  end

  private

  def path
    Dir["#{@dir}/*.segment"].first
  end

  def read
    Holdup::Segment::Reader.open(path, gone: true, &:snapshot)
  end

  def slot_bytes(file, index)
    file.byteslice(L.series_offset(64) + index * L::SERIES_BYTES, L::SERIES_BYTES)
  end

  def write(script, ring: 128)
    fresh_ruby(<<~RUBY)
      def burn(times = 1000) = times.times { Math.sqrt(2) }
      Holdup::Probe.open_segment(#{File.join(@dir, "1-1.segment").dump}, 20, #{ring}, 3, 7)
      Holdup::Probe.enable
      #{script}
      Holdup::Probe.tick([])
      Holdup::Probe.close_segment
    RUBY
  end
end
