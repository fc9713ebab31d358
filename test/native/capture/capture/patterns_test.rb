# frozen_string_literal: true

require "native/capturing"

# What has a name is recognised in captures of real work.
class CapturePatternsTest < NativeTest
  include Capturing::Named

  def test_c_code_that_keeps_the_gvl
    found = patterns {
      [unit("GET /native") { GvlWork.hold(200 * MS) }, unit("GET /light") { GvlWork.release(1) }]
    }
    assert_equal "GET /native", found.fetch(:long_hold).fetch(:who)
  end

  def test_stacks_tell_ruby_code_from_c_code_that_keeps_the_gvl
    # A machine that gives the sampler no CPU takes its stacks too late, which also looks silent.
    assert 5.times.any? { long_hold { compute_with_a_longer_slice } == :ruby }
    assert_equal :silent, long_hold { GvlWork.hold(400 * MS) }
  end

  # Each release for a moment costs a time slice of the hog.
  def test_a_convoy
    stop = false
    hog = Thread.new { nil until stop }
    found = patterns { [unit("GET /chatty") { 10.times { GvlWork.wait(10_000) } }] }
    assert_equal "GET /chatty", found.fetch(:convoy).fetch(:who)
  ensure
    stop = true
    hog&.join
  end

  def test_units_in_line_for_a_lock
    lock = Mutex.new.lock
    found = patterns do
      threads = Array.new(5) { unit("GET /locked") { lock.synchronize { nil } } }
      wait_until { threads.all?(&:stop?) }
      lock.unlock
      threads
    end
    assert_equal 5, found.fetch(:lock_queue).fetch(:count)
  end

  def test_units_that_wait_for_a_pool
    connections = Queue.new
    found = patterns do
      threads = Array.new(3) { unit("GET /orders") { |handle| waiting_for(connections, handle) } }
      wait_until { threads.all?(&:stop?) }
      GvlWork.wait(20 * MS)
      3.times { connections << true }
      threads
    end
    assert_equal [3, 3], found.fetch(:pool_wait).values_at(:count, :waits)
    scene = Holdup::Captures::Timeline::Scene.new(Captured.read(@file))
    story = Holdup::Captures::Timeline::UnitStory.new(scene, scene.whole_units.first)
    assert_includes story.call.map(&:kind), :pool
  end

  # Waits as the checkout of a connection pool does.
  def waiting_for(connections, handle)
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    connections.pop(timeout: WaitUntil::PATIENCE_S)
    Probe.charge(handle, 0, Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - from)
  end

  def test_a_storm_of_passes
    gate = Queue.new
    found = patterns do
      threads = Array.new(2) {
        unit("GET /polite") { gate.pop || 200.times { GvlWork.hold(10_000) && Thread.pass || Thread.pass } }
      }
      wait_until { gate.num_waiting == 2 } # with one of them alone there is nobody to pass to
      gate.close
      threads
    end
    assert_operator found.fetch(:pass_storm).fetch(:count), :>=, Holdup::Captures::Timeline::Patterns::PASSES
  end

  private

  # @return [Symbol] the cause of the hold in the block, which somebody waits for from its begin on
  def long_hold
    begun = Queue.new
    found = patterns(stacks_over_ns: 10 * MS) do
      light = unit("GET /light") { begun.pop }
      wait_until { light.stop? }
      [light, unit("GET /hog") { begun.close && yield }]
    end
    found.fetch(:long_hold).fetch(:cause)
  end

  # Two steps of priority: four time slices.
  def compute_with_a_longer_slice
    Thread.current.priority = 2
    until_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) + 350 * MS
    nil while Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) < until_ns
  end

  # @yieldreturn [Array<Thread>]
  def patterns(stacks_over_ns: 0, &work)
    Probe.open_capture(@file, 20_000, 0, 0, stacks_over_ns)
    work.call.each(&:join)
    Probe.close_capture
    scene = Holdup::Captures::Timeline::Scene.new(Captured.read(@file))
    Holdup::Captures::Timeline::Patterns.new(scene).call.to_h { |pattern| [pattern.key, pattern.facts] }
  end
end
