# frozen_string_literal: true

require "native/native_helper"

# For whom a unit waited: by exact GVL work, in the clock's own ticks.
class HoldersTest < NativeTest
  STRESS = <<~RUBY
    Probe = Holdup::Probe
    Probe.enable
    Probe.watch_holders(true)
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
    Probe.watch_holders(true)
  end

  def teardown
    Probe.watch_holders(false)
    super
  end

  # One holder that nothing interrupts: what it caused is what the other has waited for it, to the nanosecond.
  def test_who_held_and_for_how_long
    found, handle, hog = wait_until { attempt }
    assert_equal [[handle, hog.caused_ns]], found
    assert_operator hog.caused_ns, :>=, MS
  end

  def test_units_around_a_wait_are_holders_too
    outer = Probe.enter
    found, handle, hog = wait_until { attempt }
    assert_equal hog.caused_ns, Probe.holders(outer).to_h.fetch(handle)
    assert_equal handle, found.first.first
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
    found = while_waiting(20) { measured { GvlWork.hold(3 * MS) } }
    assert_includes 1..8, found.size
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

  def test_nothing_is_kept_when_holders_are_not_read
    Probe.watch_holders(false)
    assert_empty while_waiting { measured { GvlWork.hold(20 * MS) } }
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
      Probe.watch_holders(true)
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

  # A Ractor has a GVL of its own, which is not recorded.
  def test_never_more_than_was_waited_while_everything_is_collected
    output = fresh_ruby(<<~RUBY)
      #{STRESS}
      ractor = Ractor.new do
        handle = Holdup::Probe.enter
        Array.new(3) { Thread.new { GvlWork.hold(3_000_000) } }.each(&:join)
        Holdup::Probe.holders(handle).size
      end
      GC.stress = true
      5.times { unit.call(Random.new(5)) }
      GC.stress = false
      puts threads.flat_map(&:value).all?, ractor.respond_to?(:value) ? ractor.value : ractor.take
    RUBY
    assert_equal %w[true 0], output.split
  end

  private

  # @return [Array] the holders, the hog's handle and what was measured of it; nil when the hog was
  #   interrupted, or another thread waited too
  def attempt
    handle = hog = nil
    found = while_waiting do
      handle = Probe.enter
      GvlWork.hold(20 * MS)
      hog = Holdup::Measurement.new(*Probe.finish(handle))
    end
    [found, handle, hog] if hog.acquisitions.zero? && found.size == 1 && hog.caused_ns <= @stalled
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
