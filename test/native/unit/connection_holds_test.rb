# frozen_string_literal: true

require "native/native_helper"
require "objspace"
require "tmpdir"
require "holdup/loader"

# Whom waits for connections are for, with times that are given, to the nanosecond.
class ConnectionHoldsTest < NativeTest
  def setup
    super
    @path = File.join(Dir.mktmpdir("holdup-connections"), "segment")
    Probe.open_segment(@path, 200, 1024, nil, 0)
    @pool = Probe::ConnectionHolds.new
  end

  def teardown
    Probe.close_segment
    FileUtils.rm_rf(File.dirname(@path))
    super
  end

  def test_a_wait_is_split_by_how_long_each_held_connections
    unit("Short#job") do |short|
      unit("Long#job") do |long|
        unit("Show#page") do |victim|
          wait(victim, 100..200) do
            hold(short, 0..120)
            hold(long, 50..180)
          end
        end
      end
    end
    assert_equal({["Show#page", "Short#job"] => 20, ["Show#page", "Long#job"] => 80}, pairs)
  end

  def test_who_still_holds_one_counts_up_to_the_end_of_the_wait
    unit("Long#job") do |holder|
      place = @pool.take(holder, 150)
      unit("Show#page") { |victim| wait(victim, 100..200) }
      @pool.give_back(place, 900)
    end
    assert_equal({["Show#page", "Long#job"] => 100}, pairs)
  end

  # The holder's name is known when it ends.
  def test_a_holder_that_runs_on_is_named_when_it_ends
    holder = Probe.enter
    @pool.take(holder, 0)
    unit("Show#page") { |victim| wait(victim, 100..200) }
    assert_empty pairs
    record(holder, "Long#job")
    assert_equal({["Show#page", "Long#job"] => 100}, pairs)
  end

  def test_a_holder_that_ended_with_its_connection_is_whom_others_wait_for
    place = unit("Leak#job") { |holder| @pool.take(holder, 0) }
    40.times { |number| unit("Other#job") { |handle| hold(handle, number..number + 1) } }
    unit("Show#page") { |victim| wait(victim, 100..200) }
    @pool.give_back(place, 300)
    unit("Later#page") { |victim| wait(victim, 400..500) }
    assert_equal({["Show#page", "Leak#job"] => 100, ["Later#page", "(unknown)"] => 100}, pairs)
  end

  def test_a_connection_that_was_taken_before_is_held_by_somebody_unknown
    place = @pool.take_unseen
    unit("Long#job") do |holder|
      taken = @pool.take(holder, 0)
      unit("Show#page") { |victim| wait(victim, 100..200) { @pool.give_back(place, 200) } }
      @pool.give_back(taken, 200)
    end
    assert_equal({["Show#page", "Long#job"] => 50, ["Show#page", "(unknown)"] => 50}, pairs)
  end

  def test_a_unit_that_is_not_recorded_is_unknown
    holder = Probe.enter
    @pool.take(holder, 0)
    unit("Show#page") { |victim| wait(victim, 100..200) }
    Probe.cancel(holder)
    assert_equal({["Show#page", "(unknown)"] => 100}, pairs)
  end

  def test_a_thread_outside_of_units_is_its_account
    thread = Thread.new do
      Probe.label(Thread.current, "thread:keeper")
      @pool.take(nil, 0)
      Thread.stop
    end
    wait_until { thread.stop? }
    Probe.tick([])
    unit("Show#page") { |victim| wait(victim, 100..200) }
    Probe.tick([])
    assert_equal({["Show#page", "thread:keeper"] => 100}, pairs)
  ensure
    thread.wakeup.join
  end

  def test_what_an_inner_unit_waits_is_not_in_the_unit_around_it
    unit("Long#job") do |holder|
      place = @pool.take(holder, 0)
      unit("Outer#page") { unit("Inner#page") { |victim| wait(victim, 100..200) } }
      @pool.give_back(place, 300)
    end
    assert_equal({["Inner#page", "Long#job"] => 100}, pairs)
  end

  def test_whom_nobody_knew_is_unknown
    unit("Show#page") { |victim| wait(victim, 100..200) }
    assert_equal({["Show#page", "(unknown)"] => 100}, pairs)
  end

  def test_a_wait_of_no_unit_is_nobodys
    wait(0, 100..200) { unit("Long#job") { |holder| hold(holder, 0..200) } }
    assert_empty pairs
  end

  # What ended longer ago than the pool remembers is unknown, and the rest is split as ever.
  def test_a_wait_that_passes_over_more_holds_than_are_kept
    unit("Show#page") do |victim|
      wait(victim, 0..3000) { unit("Many#job") { |holder| 3000.times { |at| hold(holder, at..at + 1) } } }
    end
    assert_equal({["Show#page", "Many#job"] => 1024, ["Show#page", "(unknown)"] => 3000 - 1024}, pairs)
  end

  # Against the same arithmetic in rational numbers.
  def test_parts_add_up_to_the_wait_for_random_intervals
    random = Random.new(4711)
    60.times do |round|
      name = "Show#page#{round % 20}"
      before = pairs
      holds = Array.new(random.rand(1..30)) { |number| random_hold(random, number % 7) }
      from = random.rand(0..2_000_000)
      to = from + random.rand(1..2_000_000)
      play(name, holds, from..to)
      parts = pairs.to_h { |key, ns| [key, ns - before.fetch(key, 0)] }.reject { |_, ns| ns.zero? }
      assert_equal to - from, parts.values.sum, "round #{round}"
      expected(holds, from, to).each do |holder, share|
        assert_in_delta share, parts.fetch([name, holder], 0), holds.size, "round #{round}, #{holder}"
      end
    end
  end

  def test_the_sum_of_pairs_is_what_was_charged_under_real_waits
    names = Queue.new
    holder = Thread.new do
      unit("Long#job") do |handle|
        place = @pool.take(handle)
        names << place
        GvlWork.wait(30 * MS)
        @pool.give_back(place)
      end
    end
    names.pop
    from = now
    unit("Show#page") do |victim|
      @pool.wait_begins
      holder.join
      @pool.wait_ends(victim, from, now)
    end
    assert_operator pairs.fetch(["Show#page", "Long#job"]), :>=, 20 * MS
    assert_equal 1, pairs.size
  end

  # Places from before the fork mean nothing any more, whatever was taken since.
  def test_a_forked_child_begins_anew
    output = fresh_ruby(<<~RUBY)
      Probe = Holdup::Probe
      Probe.enable
      pool = Probe::ConnectionHolds.new
      holder = Probe.enter
      inherited = pool.take(holder, 0)
      pool.wait_begins
      reader, writer = IO.pipe
      Process.wait(fork do
        Probe.after_fork
        Probe.enable
        handle = Probe.enter
        victim = Probe.enter
        pool.give_back(inherited, 5)
        taken = pool.take(handle, 0)
        pool.give_back(inherited, 6)
        pool.wait_begins
        pool.wait_ends(victim, 10, 20)
        pool.give_back(taken, 30)
        GC.start
        writer.puts [inherited == taken, Probe.finish(victim).size].join(" ")
      end)
      puts reader.gets
    RUBY
    assert_match(/\Afalse \d+\Z/, output.chomp)
  end

  def test_memory_is_given_back
    unit("Long#job") { |holder| 200.times { Probe::ConnectionHolds.new.take(holder, 0) } }
    GC.start
    assert_operator ObjectSpace.memsize_of(@pool), :>, 0
  end

  private

  def unit(name)
    handle = Probe.enter
    value = yield(handle)
    record(handle, name)
    value
  end

  def record(handle, name)
    Probe.record(handle, Probe::KINDS[:request], name, nil, nil, false)
  end

  def hold(holder, span)
    @pool.give_back(@pool.take(holder, span.begin), span.end)
  end

  def wait(victim, span)
    @pool.wait_begins
    yield if block_given?
    @pool.wait_ends(victim, span.begin, span.end)
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

  RandomHold = Struct.new(:holder, :from, :to)

  def random_hold(random, holder)
    from = random.rand(0..3_000_000)
    RandomHold.new(holder, from, from + random.rand(1..2_000_000))
  end

  # Connections come back in the order in which the holds end.
  def play(name, holds, span)
    handles = holds.map(&:holder).uniq.to_h { |holder| [holder, Probe.enter] }
    unit(name) do |victim|
      ordered = holds.sort_by!(&:to)
      wait(victim, span) do
        places = ordered.to_h { |each| [each, @pool.take(handles.fetch(each.holder), each.from)] }
        places.each { |each, place| @pool.give_back(place, each.to) }
      end
    end
    handles.each { |holder, handle| record(handle, "Holder#{holder}#job") }
  end

  # @return [Hash{String => Rational}]
  def expected(holds, from, to)
    overlaps = holds.group_by(&:holder).transform_values do |same|
      same.sum { |each| [[each.to, to].min - [each.from, from].max, 0].max }
    end
    all = overlaps.values.sum
    return {"(unknown)" => to - from} if all.zero?
    overlaps.to_h { |holder, overlap| ["Holder#{holder}#job", Rational(overlap * (to - from), all)] }
  end

  # @return [Hash{Array(String, String) => Integer}] ns by who waited and who held
  def pairs
    slots, rows = Holdup::Segment::Reader.open(@path) { |reader| [reader.snapshot.slots, reader.pairs] }
    series = rows.to_h { |row| [Holdup::Collector::PairDelta.of(row, 0, slots).series, row.last] }
    series.select { |pair, _| pair.kind == :pool_pair }.transform_keys { |pair| [pair.name, pair.queue] }
  end
end
