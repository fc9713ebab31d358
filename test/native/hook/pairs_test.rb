# frozen_string_literal: true

require "native/native_helper"
require "tmpdir"
require "holdup/loader"

# Whom each wait was for: by exact GVL work, in the clock's own ticks.
class PairsTest < NativeTest
  STRESS = <<~RUBY
    Probe = Holdup::Probe
    Probe.enable
    unit = ->(random) do
      handle = Probe.enter
      work = [
        -> { GvlWork.hold(1_500_000) },
        -> { GvlWork.release(2) },
        -> { sleep(0.0005) },
        -> { Thread.pass }
      ]
      work.sample(random:).call
      found = Probe.holders(handle)
      stalled = Probe.stalled(handle)
      Probe.finish(handle)
      found.sum(&:last) <= stalled
    end
    threads = Array.new(6) do |seed|
      Thread.new { random = Random.new(seed); Array.new(60) { unit.call(random) } }
    end
  RUBY

  def setup
    super
    @path = File.join(Dir.mktmpdir("holdup-pairs"), "segment")
  end

  def teardown
    Probe.close_segment
    FileUtils.rm_rf(File.dirname(@path))
    super
  end

  # One holder that nothing interrupts: what it caused is what the other has waited for it, to the nanosecond.
  def test_who_held_and_for_how_long
    found, handle, hog = wait_until { attempt }
    assert_equal hog.caused_ns, found.to_h.fetch(handle)
    assert_operator hog.caused_ns, :>=, MS
  end

  def test_units_around_a_wait_are_holders_too
    outer = Probe.enter
    found, handle, hog = wait_until { attempt }
    assert_equal hog.caused_ns, Probe.holders(outer).to_h.fetch(handle)
    assert_equal hog.caused_ns, found.to_h.fetch(handle)
  ensure
    Probe.cancel(outer)
  end

  def test_a_thread_outside_of_units_is_its_account
    found = while_waiting do
      Probe.label(Thread.current, "thread:lonely")
      GvlWork.hold(20 * MS)
    end
    assert_includes found.to_h.keys, "thread:lonely"
  end

  def test_so_many_holders_and_never_more_than_was_waited
    found = while_waiting(100) { measured { GvlWork.hold(3 * MS) } }
    assert_includes 1..96, found.size
    assert_operator found.sum(&:last), :<=, @stalled
  end

  def test_unknown_limits
    assert_nil Probe.holders(0)
    handle = Probe.enter
    assert_empty Probe.holders(handle)
    assert_nil Thread.new { Probe.holders(handle) }.value
    Probe.finish(handle)
    assert_nil Probe.holders(handle)
  end

  def test_fibers_wait_each_for_themselves
    Probe.follow_fibers(true)
    found = {}
    fibers = %i[waits rests].map do |name|
      Fiber.new do
        handle = Probe.enter
        beside { measured { GvlWork.hold(20 * MS) } } if name == :waits
        found[name] = Probe.holders(handle)
        Fiber.yield
        Probe.finish(handle)
      end
    end
    2.times { fibers.each(&:resume) }
    refute_empty found[:waits]
    assert_empty found[:rests]
  ensure
    Probe.follow_fibers(false)
  end

  def test_a_forked_child_begins_anew
    output = fresh_ruby(<<~RUBY)
      Probe = Holdup::Probe
      Probe.enable
      hog = ->(ms) { Thread.new { measured { GvlWork.hold(ms * GvlWork::MS) } } }
      beside = ->(ms) { hog.(ms).then { |thread| GvlWork.release(1) while thread.alive? } }
      beside.(20)
      reader, writer = IO.pipe
      Process.wait(fork do
        Probe.after_fork
        Probe.enable
        handle = Probe.enter
        before = Probe.holders(handle)
        beside.(20)
        writer.puts [before.any?, Probe.holders(handle).any?].join(" ")
      end)
      puts reader.gets
    RUBY
    assert_equal "false true", output.chomp
  end

  def test_never_more_than_was_waited_where_threads_share_native_ones
    assert_equal "true",
      fresh_ruby(STRESS + "puts threads.flat_map(&:value).all?", env: {"RUBY_MN_THREADS" => "1"}).chomp
  end

  # A Ractor has a GVL of its own.
  def test_never_more_than_was_waited_while_everything_is_collected
    output = fresh_ruby(<<~RUBY)
      #{STRESS}
      ractor = Ractor.new do
        handle = Holdup::Probe.enter
        Array.new(3) { Thread.new { GvlWork.hold(3_000_000) } }.each(&:join)
        Holdup::Probe.holders(handle).sum(&:last) <= Holdup::Probe.stalled(handle)
      end
      GC.stress = true
      5.times { unit.call(Random.new(5)) }
      GC.stress = false
      puts threads.flat_map(&:value).all?, ractor.respond_to?(:value) ? ractor.value : ractor.take
    RUBY
    assert_equal %w[true true], output.split
  end

  # Names are known when both have ended; in ticks nothing is missing.
  def test_all_stall_is_charged_to_somebody_or_to_nobody
    pairs = recorded do
      work("Products#index", threads: 3, units: 60) { GvlWork.release(20) }
      work("Sales#report", threads: 2, units: 10) { GvlWork.hold(3 * MS) }
    end
    assert_identity(pairs)
    assert_operator pairs.fetch(["Products#index", "Sales#report"]), :>, 0
    assert_operator pairs.fetch(["Products#index", "(nobody)"]), :>, 0
  end

  # An N+1: many short holds of many units.
  def test_all_stall_of_short_waits_is_charged
    pairs = recorded do
      work("Orders#index", threads: 5, units: 40) { 30.times { Thread.pass } }
    end
    assert_identity(pairs)
  end

  def test_a_unit_around_another_has_its_waits_and_the_nested_series_takes_them_off
    pairs = recorded do
      work("Outer#show", units: 20) { unit("Inner#show") { GvlWork.release(20) } }
      work("Sales#report", units: 20) { GvlWork.hold(2 * MS) }
    end
    inner, nested = %w[Inner#show (nested)].map { |victim| pairs.fetch([victim, "Sales#report"]) }
    assert_equal inner, nested
    assert_operator pairs.fetch(["Outer#show", "Sales#report"]), :>=, inner - 1
    assert_identity(pairs, around: {"Outer#show" => "Inner#show"})
  end

  # Its thread ends, and its unit never does.
  def test_an_abandoned_unit_is_unknown_and_nothing_is_lost
    pairs = recorded do
      work("Products#index", units: 30) { GvlWork.release(20) }
      work("Sales#report", units: 5) { GvlWork.hold(2 * MS) }
      hogs = Array.new(3) { Thread.new { Probe.enter && GvlWork.hold(5 * MS) } }
      unit("Short#show") { GvlWork.release(1) while hogs.any?(&:alive?) }
    end
    assert_operator pairs.fetch(["Short#show", "(unknown)"]), :>=, 5 * MS
    assert_identity(pairs)
  end

  def test_nothing_is_lost_in_a_forked_child
    in_a_child do
      pairs = recorded do
        work("Products#index", threads: 3, units: 30) { GvlWork.release(20) }
        work("Sales#report", units: 10) { GvlWork.hold(2 * MS) }
      end
      assert_operator pairs.fetch(["Products#index", "Sales#report"]), :>, 0
      assert_identity(pairs)
    end
  end

  # Each has a GVL of its own, and one segment has the units of all.
  def test_nothing_is_lost_where_ractors_have_units
    in_a_child do
      $VERBOSE = nil # Ruby 3.3 warns of Ractors whatever the category's setting is
      pairs = recorded do
        work("Products#index", threads: 3, units: 30) { GvlWork.release(20) }
        work("Sales#report", units: 10) { GvlWork.hold(2 * MS) }
        ractor = Ractor.new do
          threads = Array.new(3) do
            Thread.new do
              20.times do
                handle = Holdup::Probe.enter
                GvlWork.hold(500_000)
                GvlWork.release(5)
                Holdup::Probe.record(handle, 1, "Ractor#work", nil, nil, false)
              end
            end
          end
          threads.each(&:join) && nil
        end
        ractor.respond_to?(:value) ? ractor.value : ractor.take
      end
      assert_operator pairs.fetch(["Ractor#work", "Ractor#work"]), :>, 0
      refute_includes pairs.keys, ["Products#index", "Ractor#work"]
      assert_identity(pairs)
    end
  end

  # The holder still runs when the victim ends; then it ends itself.
  def test_a_holder_without_a_name_is_named_when_it_ends
    names = Queue.new
    before = after = nil
    record_in_segment do
      hog = Thread.new do
        unit("Long#job") do
          GvlWork.hold(20 * MS)
          names.pop
        end
      end
      unit("Short#show") { GvlWork.release(1) until hog.stop? }
      Probe.tick([])
      before = pairs
      names << 1
      hog.join
      after = pairs
    end
    refute_includes before.keys, ["Short#show", "Long#job"]
    assert_operator after.fetch(["Short#show", "Long#job"]), :>=, 10 * MS
  end

  # Its clock is freed when many have ended; its name is recorded by the tick.
  def test_a_thread_that_ended_before_the_tick_has_no_name_of_others_until_then
    record_in_segment do
      4.times { |number| unit("Other#show#{number}") { GvlWork.release(1) } }
      hogs = Array.new(3) do |number|
        Thread.new do
          Probe.label(Thread.current, "thread:gone#{number}")
          GvlWork.hold(20 * MS)
        end
      end
      unit("Short#show") do
        GvlWork.release(1) while hogs.any?(&:alive?)
        300.times { Thread.new {}.join }
      end
      Probe.tick([])
      holders = pairs.keys.filter_map { |victim, holder| holder if victim == "Short#show" }
      assert_empty holders.grep(/Other/)
      assert_includes holders, "thread:gone0"
    end
  end

  # Nobody learns what it was called.
  def test_a_holder_that_is_not_recorded_is_unknown
    pairs = recorded do
      hog = Thread.new do
        handle = Probe.enter
        GvlWork.hold(20 * MS)
        Probe.cancel(handle)
      end
      unit("Short#show") { GvlWork.release(1) while hog.alive? }
    end
    assert_operator pairs.fetch(["Short#show", "(unknown)"]), :>=, 10 * MS
    assert_identity(pairs)
  end

  # Its requests are as many holders, of one series.
  def test_a_long_unit_waits_for_more_holders_than_it_has_room_for
    pairs = recorded do
      short = Thread.new { 120.times { unit("Short#show") { GvlWork.hold(MS) } && GvlWork.release(1) } }
      unit("Long#job") { GvlWork.release(1) while short.alive? }
    end
    refute_includes pairs.keys, ["Long#job", "(others)"]
    assert_identity(pairs)
  end

  # They end before it does, so they leave their waits with it until it has a name.
  def test_many_series_wait_for_one_holder_without_a_name
    pairs = recorded do
      rounds = 0
      ended = false
      hog = Thread.new do
        unit("Long#job") { GvlWork.hold(MS) && GvlWork.release(1) || rounds += 1 until ended }
      end
      2.times { 30.times { |number| wait_in_unit("Short##{number}") { rounds } } }
      ended = true
      hog.join
    end
    waited = Array.new(30) { |number| pairs[["Short##{number}", "Long#job"]].to_i }
    assert_operator waited.min, :>=, MS
    assert_identity(pairs)
  end

  def test_fibers_are_charged_each_for_themselves
    Probe.follow_fibers(true)
    pairs = recorded do
      work("Sales#report", units: 20) { GvlWork.hold(2 * MS) }
      @start.close
      fibers = Array.new(3) do |number|
        Fiber.new do
          unit("Fiber#show#{number}") { 3.times { GvlWork.release(2).then { Fiber.yield } } }
        end
      end
      4.times { fibers.each { |fiber| fiber.resume if fiber.alive? } }
    end
    assert_identity(pairs)
  ensure
    Probe.follow_fibers(false)
  end

  def test_more_pairs_than_the_table_has_room_for_are_counted_together
    pairs = many_pairs
    assert_operator pairs.size, :<=, Holdup::Segment::Layout::PAIRS
    assert_operator header.counters[:pairs_beyond], :>, 0
  end

  # `pair_limit`
  def test_a_table_has_as_many_pairs_as_was_asked_for
    small = many_pairs(pairs: 256)
    assert_equal 341, header.pair_capacity, "whole pages"
    assert_operator small.size, :<=, 341
    File.delete(@path)
    large = many_pairs(pairs: 15_000)
    assert_equal 15_018, header.pair_capacity
    assert_operator large.size, :>, Holdup::Segment::Layout::PAIRS
    assert_equal 0, header.counters[:pairs_beyond]
  end

  def test_refuses_a_table_that_its_index_has_no_room_for
    [255, 16_385].each do |pairs|
      error = assert_raises(ArgumentError) { Probe.open_segment(@path, 10, 64, nil, 0, pairs) }
      assert_equal "pair limit must be in 256..16384, got #{pairs}", error.message
    end
  end

  # A thread that begins to wait in the instant of another one's edge may be missed by the cut of its hold.
  # What is lost so is in the rests, too. One such thread that has no CPU just then loses much: the median.
  def test_the_race_at_edges_is_below_a_hundredth_of_a_percent_of_the_stall
    output = fresh_ruby(<<~RUBY)
      Holdup::Probe.enable
      unit = ->(number) do
        handle = Holdup::Probe.enter
        GvlWork.hold(20_000)
        Holdup::Probe.finish(handle)
        GvlWork.wait(1_000 * number)
      end
      work = -> { Array.new(6) { |number| Thread.new { 400.times { unit.(number) } } }.each(&:join) }
      5.times do
        before = Holdup::Probe.snapshot
        work.call
        after = Holdup::Probe.snapshot
        puts %i[pairs_race_ticks stalled_ns].map { |key| after[key] - before[key] }.join(" ")
      end
    RUBY
    shares = output.lines.map do |line|
      race_ticks, stalled_ns = line.split.map(&:to_i)
      assert_operator stalled_ns, :>, 0
      race_ticks.abs.fdiv(stalled_ns) # a tick is at most 1 ns
    end
    shown = shares.map { |share| format("%.5f %%", share * 100) }.join(", ")
    assert_operator shares.sort[2], :<, 0.0001, "lost at edges, of the stall: #{shown}"
  end

  private

  # Units of 880 names that wait for each other. Nothing of their stall is lost.
  def many_pairs(**room)
    found = recorded(series: 900, **room) do
      Array.new(4) do |thread|
        Thread.new do
          220.times { |number| unit("A#{thread}##{number}") { GvlWork.release(1) || Thread.pass } }
        end
      end.each(&:join)
    end
    assert_in_delta @slots.sum { |slot| slot.histogram(:stalled).sum }, found.values.sum, 4 * 220 * 8
    found
  end

  # Until another thread has held the GVL twice.
  def wait_in_unit(name)
    unit(name) do
      before = yield
      GvlWork.release(1) until yield > before + 2
    end
  end

  def header = Holdup::Segment::Reader.open(@path, &:header)

  def unit(name)
    handle = Probe.enter
    yield
  ensure
    Probe.record(handle, Probe::KINDS[:request], name, nil, nil, false)
  end

  # Threads that run units of that name; `recorded` starts them together, and waits for them.
  def work(name, units:, threads: 1, &work)
    @threads.concat(Array.new(threads) { Thread.new { @start.pop || units.times { unit(name, &work) } } })
  end

  # @return [Hash{Array(String, String) => Integer}] of a process at rest, ns by who waited and who held the
  #   GVL
  def recorded(series: 100, **room, &work)
    record_in_segment(series:, **room) do
      work.call
      @start.close
      @threads.each(&:join)
      2.times { Probe.tick([]) } # the second one has threads that ended before the first
      pairs
    end
  end

  def record_in_segment(series: 100, pairs: Holdup::Segment::Layout::PAIRS)
    @threads = []
    @start = Queue.new
    Probe.open_segment(@path, series, 1024, nil, 0, pairs)
    @before = Probe.snapshot
    yield
  end

  def pairs
    @slots, rows = Holdup::Segment::Reader.open(@path) { |reader| [reader.snapshot.slots, reader.pairs] }
    series = rows.to_h { |row| [Holdup::Collector::PairDelta.of(row, 0, @slots).series, row.last] }
    series.select { |pair, _| pair.kind == :pair }.transform_keys { |pair| [pair.name, pair.queue] }
  end

  # The block in a forked process, which is at rest when it begins.
  def in_a_child
    reader, writer = IO.pipe
    pid = fork do
      Probe.after_fork
      Probe.enable
      yield
      exit!(true)
    rescue Minitest::Assertion, StandardError => error
      writer.write(error.full_message)
      writer.close
      exit!(false)
    end
    writer.close
    failure = reader.read
    Process.wait(pid)
    assert $?.success?, failure
  end

  # In the clock's ticks, of all threads; and of each series what its units stalled and what they caused, 1 ns
  # a part. What an open hold has caused when a thread begins to wait at the edge of a unit is the race.
  # @param around [Hash{String => String}] names of units => those of the units inside them
  def assert_identity(pairs, around: {})
    now = Probe.snapshot
    race = now[:pairs_race_ticks] - @before[:pairs_race_ticks]
    stalled = now[:stalled_ns] - @before[:stalled_ns]
    assert_operator race.abs, :<=, stalled / 1000, "race of #{race} ticks in #{stalled} ns"
    assert_victims(pairs)
    assert_holders(pairs, race.abs, around)
  end

  def assert_victims(pairs)
    by_victim = pairs.group_by { |(victim, _), _| victim }.transform_values { |same| same.sum(&:last) }
    accounts, units = @slots.partition { |slot| slot.series.kind == :account }
    units.each do |slot|
      expected = slot.histogram(:stalled).sum
      found = by_victim.fetch(slot.series.name, 0)
      assert_in_delta expected, found, [pairs.size * slot.count.clamp(1, 1000), 100].max, slot.series.name
    end
    outside = by_victim.values_at("(not recorded)", *accounts.map { |slot| slot.series.name }).compact.sum
    assert_in_delta accounts.sum { |slot| slot.histogram(:stalled).sum }, outside, [pairs.size, 100].max
  end

  # A pair belongs to the innermost holder, and what units waited inside others counts once.
  def assert_holders(pairs, race, around)
    caused = @slots.select { |slot| slot.series.kind == :request }
      .to_h { |slot| [slot.series.name, slot.named_sums[:caused_ns]] }
    parts = 16 * @slots.sum(&:count)
    caused.each do |holder, ns|
      of_holder = pairs.select { |(_, name), _| name == holder }
      nested = of_holder.fetch(["(nested)", holder], 0)
      found = of_holder.values.sum - 2 * nested
      assert_in_delta ns - caused.fetch(around[holder], 0), found, race + parts, "caused by #{holder}"
    end
  end

  # @return [Array] the holders, the hog's handle and what was measured of it; nil when the hog was
  #   interrupted, or another thread waited too
  def attempt
    handle = hog = nil
    found = while_waiting do
      handle = Probe.enter
      GvlWork.hold(20 * MS)
      hog = Holdup::Measurement.new(*Probe.finish(handle))
    end
    alone = found.count { |holder, _| holder.is_a?(Integer) } == 1
    [found, handle, hog] if hog.acquisitions.zero? && alone && hog.caused_ns <= @stalled
  end

  # @return [Array] for whom a unit waited that let go of the GVL as long as each of the threads lived that
  #   run the block
  def while_waiting(threads = 1, &work)
    handle = Probe.enter
    beside(threads, &work)
    Probe.holders(handle)
  ensure
    @stalled = Probe.stalled(handle)
    Probe.finish(handle)
  end

  def beside(threads = 1, &work)
    threads = Array.new(threads) { Thread.new(&work) }
    GvlWork.release(1) while threads.any?(&:alive?)
  end
end
