# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/pool_leases"

class Holdup::Instrumentation::PoolLeasesTest < Minitest::Test
  # What a hook into a library's pool includes it for.
  class Hook
    include Holdup::Instrumentation::PoolLeases

    def initialize(guard, clock)
      @guard = guard
      @clock = clock
    end

    def contended = @holds = begin_holds([])

    private

    def holds_of(_pool) = @holds
  end

  def setup
    @probe = RecordingProbe.new
    @clock = HandClock.new
    @log = CollectedLog.new
    guard = Holdup::Guard.new(log: @log, clock: @clock)
    @recorder = Holdup::Recorder.new(probe: @probe, guard:)
    @hook = Hook.new(guard, @clock)
    @pool = Object.new
    @connection = Object.new
  end

  def unit(&) = @recorder.measure("Report", &)

  def elapse(ns) = @clock.monotonic_ns += ns

  def lease(ns)
    @hook.taken(@pool, @connection)
    elapse(ns)
    @hook.returned(@pool, @connection)
  end

  def charged(which)
    @probe.charged.filter_map { |_, index, ns| ns if index == Holdup::Probe::CHARGES[which] }
  end

  def test_a_wait_is_charged_to_the_unit_and_gives_what_the_block_gives
    given = unit { @hook.waiting(@pool) { elapse(30) && :connection } }
    assert_equal [:connection, [30]], [given, charged(:pool_wait)]
  end

  def test_a_wait_that_ends_in_an_exception_is_charged_too
    assert_raises(IOError) { unit { @hook.waiting(@pool) { elapse(20) && raise(IOError) } } }
    assert_equal [20], charged(:pool_wait)
  end

  def test_outside_of_a_unit_nothing_is_charged
    assert_equal :connection, @hook.waiting(@pool) { :connection }
    lease(5)
    assert_empty @probe.charged
    assert_empty @log.lines
  end

  def test_a_connection_is_held_until_it_is_given_back_and_once_only
    unit do
      @hook.taken(@pool, @connection)
      @hook.taken(@pool, @connection)
      elapse(40)
      2.times { @hook.returned(@pool, @connection) }
    end
    assert_equal [40], charged(:pool_held)
  end

  def test_a_thread_beside_the_unit_does_not_charge_it
    unit { Thread.new { @hook.waiting(@pool) { elapse(9) } }.join }
    assert_empty charged(:pool_wait)
  end

  def test_leases_go_on_where_the_pool_was_waited_for
    @hook.contended
    unit do
      @hook.waiting(@pool) { elapse(10) }
      lease(7)
    end
    assert_equal [[10], [7]], [charged(:pool_wait), charged(:pool_held)]
    assert_empty @log.lines
  end
end
