# frozen_string_literal: true

require "monitor"
require "native/native_helper"
require "timeout"
require "tmpdir"
require "holdup/loader"

# Who ended each wait for a lock: planted enders, and sums that are exact.
class LockEndsTest < NativeTest
  ENDER = "Ender#job"
  VICTIM = "Victim#show"

  def setup
    super
    @path = File.join(Dir.mktmpdir("holdup-locks"), "segment")
    Probe.open_segment(@path, 200, 1024, nil, 0)
  end

  def teardown
    Probe.close_segment
    FileUtils.rm_rf(File.dirname(@path))
    super
  end

  # Each waits with `wait` for what `give` gives, once the waiter waits.
  def self.ender(name, make, wait, give)
    define_method(:"test_#{name}") do
      subject = make.call
      until_given(-> { give.call(subject) }) { wait.call(subject) }
      assert_ended(ENDER)
    end
  end
  private_class_method :ender

  ender :push_ends_the_wait_of_pop, -> { Queue.new }, :pop.to_proc, ->(queue) { queue << 1 }
  ender :close_ends_the_wait_of_pop, -> { Queue.new }, :pop.to_proc, :close.to_proc
  ender :pop_ends_the_wait_for_room, -> { SizedQueue.new(1).tap { |queue| queue << 1 } },
    ->(queue) { queue << 2 }, :pop.to_proc
  ender :wakeup_ends_the_wait_of_stop, -> { Queue.new },
    ->(threads) { (threads << Thread.current) && Thread.stop }, ->(threads) { threads.pop.wakeup }

  def test_unlock_ends_the_wait_for_a_mutex
    [Mutex.new, Monitor.new].each do |lock|
      held = Queue.new
      go = Queue.new
      owner = Thread.new do
        unit(ENDER) do
          lock.synchronize { (held << 1) && go.pop }
        end
      end
      held.pop
      victim = Thread.new { unit(VICTIM) { lock.synchronize { nil } } }
      wait_until { victim.stop? }
      go << 1
      [owner, victim].each(&:join)
    end
    assert_ended(ENDER)
  end

  def test_signal_ends_the_wait_for_a_condition
    lock = Mutex.new
    condition = ConditionVariable.new
    woken = false
    signal = -> { lock.synchronize { (woken = true) && condition.signal } }
    until_given(signal) { lock.synchronize { condition.wait(lock) until woken } }
    assert_ended(ENDER)
  end

  def test_the_end_of_a_thread_ends_the_wait_of_join
    go = Queue.new
    ended = Thread.new { go.pop }
    Probe.label(ended, "thread:ended")
    victim = Thread.new { unit(VICTIM) { ended.join } }
    wait_until { victim.stop? }
    go << 1
    [ended, victim].each(&:join)
    tick
    assert_ended("thread:ended")
  end

  # Whoever had the lock before: the last owner ends the whole wait.
  def test_in_a_convoy_the_ender_is_charged_and_not_the_first_owner
    lock = Mutex.new
    gates = Array.new(2) { Queue.new }
    lock.lock
    convoy = ["First#job", "Second#job", VICTIM].map.with_index do |name, place|
      thread = Thread.new { unit(name) { lock.synchronize { gates[place]&.pop } } }
      wait_until { thread.stop? }
      thread
    end
    unit("Zeroth#job") { lock.unlock }
    gates.zip(convoy) do |gate, thread|
      gate << 1
      thread.join
    end
    convoy.last.join
    assert_equal({[VICTIM, "Second#job"] => slot(VICTIM).named_sums[:lock_ns]},
      pairs.select { |(victim, _), _| victim == VICTIM })
    assert_includes pairs.keys, ["First#job", "Zeroth#job"]
  end

  def test_a_thread_outside_of_units_is_its_account
    queue = Queue.new
    victim = Thread.new { unit(VICTIM) { queue.pop } }
    wait_until { victim.stop? }
    Thread.new { Probe.label(Thread.current, "thread:feeder") || queue << 1 }.join
    victim.join
    tick
    assert_ended("thread:feeder")
  end

  def test_an_interrupt_is_unknown
    interrupts = [->(thread) { thread.raise("planted") }, :kill.to_proc]
    interrupts.each do |interrupt|
      victim = Thread.new do
        unit(VICTIM) { Queue.new.pop }
      rescue RuntimeError
        nil
      end
      wait_until { victim.stop? }
      unit(ENDER) { interrupt.call(victim) }
      victim.join
    end
    assert_ended("(unknown)")
  end

  def test_a_timeout_is_unknown
    Thread.new do
      unit(VICTIM) { assert_raises(Timeout::Error) { Timeout.timeout(0.01) { Queue.new.pop } } }
    end.join
    tick
    assert_ended("(unknown)")
  end

  def test_another_ractor_is_unknown
    output = fresh_ruby(<<~RUBY)
      Probe = Holdup::Probe
      Probe.enable
      others = Array.new(2) { Thread.new { unit = Probe.enter; Thread.pass until $done; Probe.finish(unit) } }
      ractor = Ractor.new { 5.times { GvlWork.hold(3_000_000) } }
      handle = Probe.enter
      ractor.respond_to?(:value) ? ractor.value : ractor.take
      p Probe.lock_ends(handle)
      $done = true
      others.each(&:join)
    RUBY
    assert_equal "[]", output.chomp
  end

  def test_a_wait_that_passes_is_sleep
    Thread.new { unit(VICTIM) { Queue.new.pop(timeout: 0.01) } }.join
    assert_empty pairs
    assert_operator slot(VICTIM).named_sums[:sleep_ns], :>, 0
  end

  def test_waits_outside_of_units_are_left_out
    queue = Queue.new
    victim = Thread.new { queue.pop }
    wait_until { victim.stop? }
    unit(ENDER) { queue << 1 }
    victim.join
    tick
    assert_empty pairs
  end

  def test_the_open_unit_knows_who_ended_its_waits
    queue = Queue.new
    found = nil
    ender = nil
    victim = Thread.new { unit(VICTIM) { |handle| queue.pop && found = Probe.lock_ends(handle) } }
    wait_until { victim.stop? }
    unit(ENDER) { |handle| (ender = handle) && queue << 1 }
    victim.join
    assert_equal [ender], found.map(&:first)
  end

  def test_a_unit_around_another_has_its_waits_and_the_nested_series_takes_them_off
    until_given(-> { @queue << 1 }, around: "Outer#show") { (@queue = Queue.new).pop }
    inner = pairs.fetch([VICTIM, ENDER])
    assert_equal inner, pairs.fetch(["(nested)", ENDER])
    assert_equal inner, pairs.fetch(["Outer#show", ENDER])
  end

  def test_fibers_are_charged_each_for_themselves
    Probe.follow_fibers(true)
    queue = Queue.new
    victim = Thread.new do
      fibers = [VICTIM, "Rests#show"].map do |name|
        Fiber.new { unit(name) { (name == VICTIM) ? queue.pop : Fiber.yield } }
      end
      fibers.last.resume
      fibers.first.resume
      fibers.last.resume
    end
    wait_until { victim.stop? }
    unit(ENDER) { queue << 1 }
    victim.join
    assert_ended(ENDER)
    refute_includes pairs.keys.map(&:first), "Rests#show"
  ensure
    Probe.follow_fibers(false)
  end

  def test_more_enders_than_a_unit_has_room_for_lose_nothing
    queue = Queue.new
    victim = Thread.new { unit(VICTIM) { 40.times { queue.pop } } }
    40.times do |number|
      wait_until { victim.stop? && queue.empty? }
      unit("Ender#{number}#job") { queue << 1 }
    end
    victim.join
    assert_equal slot(VICTIM).named_sums[:lock_ns], pairs.values.sum
    assert_includes pairs.keys, [VICTIM, "(others)"]
    assert_operator pairs.size, :>, 16
  end

  # Convoys at a mutex and a queue, all at once: each unit's parts and its unknown are what it waited, in ns.
  def test_parts_and_unknown_add_up_to_the_waits_of_each_name
    lock = Mutex.new
    queue = Queue.new
    threads = Array.new(4) do |number|
      Thread.new do
        40.times do
          unit("Convoy#{number}#show") { lock.synchronize { Thread.pass } }
          number.odd? ? unit("Feed#job") { queue << 1 } : unit("Work#job") { queue.pop }
        end
      end
    end
    threads.each(&:join)
    tick
    units = slots.select { |slot| slot.series.kind == :request }
    waited = units.to_h { |slot| [slot.series.name, slot.named_sums[:lock_ns]] }.reject { |_, ns| ns.zero? }
    assert_equal waited, pairs.group_by { |(victim, _), _| victim }.transform_values { |all| all.sum(&:last) }
  end

  private

  # A thread waits in the block, in a unit; another unit ends that.
  def until_given(give, around: nil, &wait)
    victim = Thread.new { around ? unit(around) { unit(VICTIM, &wait) } : unit(VICTIM, &wait) }
    wait_until { victim.stop? }
    unit(ENDER) { give.call }
    victim.join
  end

  def unit(name)
    handle = Probe.enter
    yield handle
  ensure
    Probe.record(handle, Probe::KINDS[:request], name, nil, nil, false)
  end

  # Threads outside of units have a name from the second one on.
  def tick
    2.times { Probe.tick([]) }
  end

  # All waits of the victim were ended by that one, to the nanosecond.
  def assert_ended(name)
    waited = slot(VICTIM).named_sums[:lock_ns]
    assert_operator waited, :>, 0
    assert_equal({[VICTIM, name] => waited}, pairs.select { |(victim, _), _| victim == VICTIM })
  end

  def slot(name) = slots.find { |slot| slot.series.name == name && slot.series.kind == :request }

  def slots = Holdup::Segment::Reader.open(@path) { |reader| reader.snapshot.slots }

  # @return [Hash{Array(String, String) => Integer}] ns by who waited and who ended it
  def pairs
    slots, rows = Holdup::Segment::Reader.open(@path) { |reader| [reader.snapshot.slots, reader.pairs] }
    series = rows.to_h { |row| [Holdup::Collector::PairDelta.of(row, 0, slots).series, row.last] }
    series.select { |pair, _| pair.kind == :lock_pair }.transform_keys { |pair| [pair.name, pair.queue] }
  end
end
