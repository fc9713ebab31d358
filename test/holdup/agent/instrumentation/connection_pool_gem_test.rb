# frozen_string_literal: true

require "test_helper"
require "connection_pool"
require "holdup/agent/instrumentation/connection_pool_gem"
require "holdup/agent/recorder"

# The gem's own pools, with threads that really wait and a clock that is moved by hand.
class Holdup::Instrumentation::ConnectionPoolGemTest < Minitest::Test
  HOOKED = %i[try_create fetch_connection push << decrement_created].freeze

  # The methods of versions 2, which take their options in a Hash.
  class OlderStack < ConnectionPool::TimedStack
    def pop(timeout = 5, options = {}) = super(timeout:, **options)

    def push(obj, _options = {}) = super(obj)

    private

    def try_create(_options = nil) = super()

    def fetch_connection(_options = nil) = super()
  end

  # Each test gets classes of its own, because hooks stay.
  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @clock = HandClock.new
    @guard = Holdup::Guard.new(log: @log, clock: @clock)
    @recorder = Holdup::Recorder.new(probe: @probe, guard: @guard)
    @pool = watch(Class.new(ConnectionPool::TimedStack))
  end

  # @return [ConnectionPool::TimedStack] of one connection
  def watch(type)
    @watcher = Holdup::Instrumentation::ConnectionPoolGem.new(guard: @guard, clock: @clock)
    @watcher.install_in(type)
    type.new(size: 1) { Object.new.freeze }
  end

  def unit(&) = @recorder.measure("Report", &)

  def elapse(ns) = @clock.monotonic_ns += ns

  # @return [Object] the connection of a thread that waited for it so long
  def pop_after(ns, pool: @pool, connection: pool.pop, **options)
    waits = Thread.new { unit { pool.pop(**options) } }
    wait_until { waits.stop? }
    elapse(ns)
    pool.push(connection) if connection
    waits.value
  end

  def charged(which)
    @probe.charged.filter_map { |_, index, ns| ns if index == Holdup::Probe::CHARGES[which] }
  end

  def test_the_first_wait_is_charged_and_a_checkout_without_one_is_not
    unit { @pool.push(@pool.pop) }
    assert_empty charged(:pool_wait)
    pop_after(7)
    assert_equal [7], charged(:pool_wait)
    assert_empty @log.lines
  end

  def test_a_checkout_passes_no_code_of_ours_before_the_first_wait
    hooked = Holdup::Hooks::MethodHook.all.filter_map { |hook| hook.name if hook.owner == @pool.class }
    assert_equal [:try_create], hooked
    pop_after(1)
    hooked = Holdup::Hooks::MethodHook.all.filter_map { |hook| hook.name if hook.owner == @pool.class }
    assert_equal HOOKED.sort, hooked.sort
  end

  def test_holds_are_recorded_from_the_first_wait_on
    unit { @pool.push(@pool.pop.tap { elapse 3 }) }
    @pool.push(pop_after(1))
    unit { @pool.push(@pool.pop.tap { elapse 5 }) }
    assert_equal [0, 5], charged(:pool_held).last(2)
  end

  def test_a_connection_that_is_given_up_is_kept_no_longer
    pop_after(1)
    @pool.decrement_created
    unit do
      @pool.pop
      elapse 3
      @pool.decrement_created
      elapse 4
    end
    assert_equal [3], charged(:pool_held).last(1)
  end

  def test_a_wait_in_vain_counts_and_takes_nothing
    kept = @pool.pop
    assert_nil unit { @pool.pop(timeout: 0.2, exception: false) }
    assert_equal [0], charged(:pool_wait)
    @pool.push(kept)
    assert_same kept, @pool.pop
  end

  def test_pools_of_versions_2
    pool = watch(Class.new(OlderStack))
    kept = pool.pop(5, {})
    assert_same kept, pop_after(7, pool:, connection: kept)
    assert_equal [7], charged(:pool_wait)
  end

  def test_a_pool_that_shuts_down_takes_nothing
    @pool.push(pop_after(1))
    closed = []
    @pool.shutdown { |connection| closed << connection }
    assert_equal 1, closed.size
    assert_raises(ConnectionPool::PoolShuttingDownError) { @pool.pop }
    assert_empty @log.lines
  end

  def test_the_methods_keep_their_visibility
    pop_after(1)
    private_ones = @pool.class.private_instance_methods
    assert_includes private_ones, :try_create
    assert_includes private_ones, :fetch_connection
    assert_respond_to @pool, :push
  end

  def test_subclasses_that_connect_otherwise_are_left_alone
    type = Class.new(@pool.class) { private def try_create(**) = (Object.new unless (@created += 1) > 1) }
    pool = type.new(size: 1) {}
    kept = pool.pop
    assert_nil unit { pool.pop(timeout: 0.001, exception: false) }
    pool.push(kept)
    assert_empty charged(:pool_wait)
  end

  def test_says_which_connections_threads_have_waited_for
    assert_empty @watcher.profile
    pop_after(1)
    assert_equal({"waited.pools" => "Object"}, @watcher.profile)
  end

  def test_has_no_facts
    assert_equal [{}, [], {}, {}], [@watcher.facts, @watcher.pools, @watcher.gauges, @watcher.profile]
  end
end
