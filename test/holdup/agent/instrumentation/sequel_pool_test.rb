# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/sequel_pool"
require "holdup/agent/recorder"

# The hooks on a pool of the same shape; Sequel's own are in test/integration.
class Holdup::Instrumentation::SequelPoolTest < Minitest::Test
  # Waits on demand. Each test gets a class of its own, because hooks stay.
  def pool_class
    Class.new do
      attr_reader :given_up

      def initialize(waits)
        @waits = waits
        @connection = Object.new
        @allocated = {Thread.main => true}
        @given_up = []
      end

      def hold(works: true)
        connection = acquire(:thread)
        yield if block_given?
        works ? checkin_connection(connection) : disconnect_connection(connection)
      end

      private

      def acquire(thread) = @allocated[thread] = @waits.empty? ? @connection : wait_until_available

      def wait_until_available
        wait = @waits.pop
        wait.call
        @connection if wait != TIME_IS_UP
      end

      def checkin_connection(conn) = conn

      def disconnect_connection(conn) = @given_up << conn
    end
  end

  TIME_IS_UP = -> {}

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @clock = HandClock.new
    guard = Holdup::Guard.new(log: @log, clock: @clock)
    @recorder = Holdup::Recorder.new(probe: @probe, guard:)
    @watcher = Holdup::Instrumentation::SequelPool.new(guard:, clock: @clock)
    @type = pool_class
    @watcher.install_in(@type, :wait_until_available, "")
    @waits = []
    @pool = @type.new(@waits).freeze
  end

  def unit(&) = @recorder.measure("Report", &)

  def elapse(ns) = @clock.monotonic_ns += ns

  def wait_for(ns) = @waits << -> { elapse(ns) }

  def charged(which)
    @probe.charged.filter_map { |_, index, ns| ns if index == Holdup::Probe::CHARGES[which] }
  end

  def test_a_wait_is_charged_and_a_checkout_without_one_is_not
    unit { @pool.hold }
    assert_empty charged(:pool_wait)
    wait_for(7)
    unit { @pool.hold }
    assert_equal [7], charged(:pool_wait)
    assert_empty @log.lines
  end

  def test_holds_are_recorded_from_the_first_wait_on_also_of_a_frozen_pool
    unit { @pool.hold { elapse 3 } }
    wait_for(1)
    unit { @pool.hold { elapse 4 } }
    unit { @pool.hold { elapse 5 } }
    assert_equal [4, 5], charged(:pool_held)
  end

  def test_a_connection_that_is_given_up_is_kept_no_longer
    wait_for(1)
    unit do
      @pool.hold(works: false) { elapse 3 }
      elapse 4
    end
    assert_equal [3], charged(:pool_held)
    assert_equal 1, @pool.given_up.size
  end

  def test_a_wait_in_vain_counts_and_takes_nothing
    @waits << TIME_IS_UP
    unit do
      @pool.send(:acquire, :thread)
      elapse 4
    end
    assert_equal [[0], []], [charged(:pool_wait), charged(:pool_held)]
  end

  def test_a_pool_that_looks_different_has_waits_only
    @type.remove_method(:checkin_connection)
    @type.define_method(:checkin_connection) { |conn, server = nil| conn }
    2.times { wait_for(2) }
    2.times { unit { @pool.hold { elapse 4 } } }
    assert_equal [[2, 2], []], [charged(:pool_wait), charged(:pool_held)]
    assert_match(/#checkin_connection, so nothing is measured there: /, @log.lines.first)
    assert_empty Holdup::Hooks::MethodHook.all.select { |hook| hook.owner == @type && hook.name == :acquire }
  end

  def test_has_no_facts
    assert_equal [{}, [], {}, {}], [@watcher.facts, @watcher.pools, @watcher.gauges, @watcher.profile]
  end
end
