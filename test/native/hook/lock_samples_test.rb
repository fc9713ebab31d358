# frozen_string_literal: true

require "monitor"
require "native/native_helper"
require "tmpdir"
require "holdup/loader"

# Where units wait for locks, and where others end that.
class LockSamplesTest < NativeTest
  ENDER = "Ender#job"
  VICTIM = "Victim#show"
  # What a wait is for => how the place is called in which it waits.
  PRIMITIVES = {
    Mutex.new => "Thread::Mutex#synchronize", Monitor.new => "Monitor#synchronize",
    Queue.new => "Thread::Queue#pop", SizedQueue.new(1) => "Thread::SizedQueue#pop",
    ConditionVariable.new => "Thread::ConditionVariable#wait"
  }.freeze

  def setup
    super
    @path = File.join(Dir.mktmpdir("holdup-locks"), "segment")
    Probe.open_segment(@path, 200, 1024, nil, 0)
    assert Probe.sample_holds(10 * MS), "no postponed job is left"
  end

  def teardown
    Probe.sample_holds(0)
    Probe.close_segment
    FileUtils.rm_rf(File.dirname(@path))
    super
  end

  def test_a_long_wait_has_the_place_where_it_waits_and_where_it_ended
    sampled { end_wait_for(Queue.new) }
    waits, ends = places
    waited_in = /lock_samples_test\.rb:\d+ LockSamplesTest#wait_for \| Thread::Queue#pop/
    assert_match waited_in, waits.keys.last.last
    assert_equal [VICTIM], waits.keys.map(&:first).uniq
    assert_match(/lock_samples_test\.rb:\d+ LockSamplesTest#/, ends.keys.last.last)
    assert_equal [ENDER], ends.keys.map(&:first).uniq
    assert_equal waits.values.sum, ends.values.sum
  end

  # On a busy machine there may be waits before the one that is sampled.
  def test_each_sample_weighs_as_much_as_its_wait
    before = Probe.lock_samples[:taken]
    sampled { end_wait_for(Queue.new) }
    taken = Probe.lock_samples[:taken] - before
    waits, = places
    all = slots.find { |slot| slot.series.kind == :request && slot.series.name == VICTIM }
    assert_in_delta all.named_sums[:lock_ns], waits.values.sum, all.count * 10 if all.count == taken
    assert_operator waits.values.sum, :<=, all.named_sums[:lock_ns] + all.count * 10
  end

  PRIMITIVES.each do |subject, called|
    define_method(:"test_a_place_says_that_it_waits_in_#{called[/\w+#/].delete("#")}") do
      sampled { end_wait_for(subject) }
      waits, = places
      assert_includes waits.keys.map { |_, place| place.split(" | ").last }, called
    end
  end

  # It never looks for interrupts again, so it says nothing about its own place.
  def test_a_wait_has_a_place_where_the_end_of_a_thread_ends_it
    sampled { end_wait_by_end_of_thread }
    waits, ends = places
    assert_match(/lock_samples_test\.rb:\d+ LockSamplesTest#.* \| Thread#join/, waits.keys.last.last)
    assert_empty ends
  end

  def test_a_wait_has_a_place_where_the_waker_sleeps_right_after_it_unlocks
    sampled { end_wait_before_a_sleep }
    waits, = places
    assert_match(/LockSamplesTest#wait_for \| Thread::Mutex#synchronize/, waits.keys.last.last)
  end

  def test_a_thread_outside_of_units_that_ends_a_wait_is_its_account
    Probe.label(Thread.current, "thread:planted")
    queue = Queue.new
    sampled { end_wait_for(queue) { wait_end(queue) } }
    _, ends = places
    assert_equal ["thread:planted"], ends.keys.map(&:first).uniq
  ensure
    Probe.label(Thread.current, "main")
  end

  def test_a_wait_outside_of_the_application_is_in_the_innermost_file
    Probe.application_folders("/nowhere/", ["#{File.expand_path("../..", __dir__)}/"], "/nowhere/")
    sampled { end_wait_for(Queue.new) }
    waits, = places
    waited_in = %r{\Anative/hook/lock_samples_test\.rb:\d+ LockSamplesTest#wait_for \| Thread::Queue#pop\z}
    assert_match waited_in, waits.keys.last.last
  ensure
    Probe.application_folders("/nowhere/", [], "/nowhere/")
  end

  def test_takes_nothing_where_stacks_are_not_wanted
    Probe.sample_holds(0)
    before = Probe.lock_samples
    end_wait_for(Queue.new)
    assert_equal before, Probe.lock_samples
  end

  private

  # Until a wait of that kind had a sample: one may come while the last one's cost is made good.
  # @return [Integer] how many there were
  def sampled
    before = Probe.lock_samples[:taken]
    count = 0
    wait_until do
      yield
      count += 1
      Probe.lock_samples[:taken] > before
    end
    count
  end

  # A thread waits long in a unit; the block, or another unit, ends that.
  def end_wait_for(subject)
    subject.enter if subject.is_a?(Monitor)
    subject.lock if subject.is_a?(Mutex)
    victim = Thread.new { unit(VICTIM) { wait_for(subject) } }
    wait_until { victim.stop? }
    GvlWork.wait(12 * MS)
    block_given? ? yield : unit(ENDER) { wait_end(subject) }
    victim.join
  end

  def end_wait_by_end_of_thread
    go = Queue.new
    ended = Thread.new { go.pop }
    victim = Thread.new { unit(VICTIM) { ended.join } }
    wait_until { victim.stop? }
    GvlWork.wait(12 * MS)
    go << 1
    victim.join
  end

  def end_wait_before_a_sleep
    lock = Mutex.new
    go = Queue.new
    waker = Thread.new do
      lock.synchronize { go.pop }
      Thread.stop
    end
    wait_until { waker.stop? }
    victim = Thread.new { unit(VICTIM) { wait_for(lock) } }
    wait_until { victim.stop? }
    GvlWork.wait(12 * MS)
    go << 1
    victim.join
    waker.wakeup.join
  end

  def wait_for(subject)
    case subject
    when ConditionVariable then Mutex.new.then { |lock| lock.synchronize { subject.wait(lock) } }
    when Mutex, Monitor then subject.synchronize { nil }
    else subject.pop
    end
  end

  def wait_end(subject)
    case subject
    when ConditionVariable then subject.signal
    when Mutex then subject.unlock
    when Monitor then subject.exit
    else subject << 1
    end
  end

  def unit(name)
    handle = Probe.enter
    yield
  ensure
    Probe.record(handle, Probe::KINDS[:request], name, nil, nil, false)
  end

  # @return [Array<Hash{Array(String, String) => Integer}>] ns by name and place: of waits, and of who ended
  #   them
  def places
    found = slots.select { |slot| slot.series.kind == :lock_place }
    %i[lock_ns caused_ns].map do |sum|
      all = found.to_h { |slot| [[slot.series.name, slot.series.queue], slot.named_sums[sum]] }
      all.select { |_, ns| ns.positive? }
    end
  end

  def slots = Holdup::Segment::Reader.open(@path) { |reader| reader.snapshot.slots }
end
