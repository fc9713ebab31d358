# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/connection_pool"
require "holdup/agent/recorder"

# The hooks on a pool of the same shape, with a clock that is moved by hand; Active Record's own is in
# test/integration.
class Holdup::Instrumentation::ConnectionPoolTest < Minitest::Test
  TimeIsUp = Class.new(StandardError)

  # Waits on demand. Each test gets classes of its own, because prepended modules stay.
  def pool_class
    queue = Class.new do
      attr_writer :waits

      def initialize(pool)
        @lock = pool
      end

      def take(timeout)
        @waits ? wait_poll(timeout) : :connection
      end

      private

      def wait_poll(timeout)
        @waits.call(timeout)
        @lock.connection
      end
    end
    Class.new do
      const_set(:Queue, queue)
      attr_accessor :connection, :queue, :connections

      def initialize
        @checkout_timeout = 5
        @queue = self.class::Queue.new(self)
        @connection = Object.new
        @connections = []
      end

      def checkout(checkout_timeout = @checkout_timeout)
        @queue.take(checkout_timeout)
        @connection
      end

      def checkin(conn) = conn

      def remove(conn) = conn
    end
  end

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @clock = HandClock.new
    guard = Holdup::Guard.new(log: @log, clock: @clock)
    @recorder = Holdup::Recorder.new(probe: @probe, guard:)
    @watcher = Holdup::Instrumentation::ConnectionPool.new(guard:, clock: @clock)
    @type = pool_class
    @watcher.install_in(@type)
    @pool = @type.new
    @watcher.contend(@pool)
  end

  def unit(&) = @recorder.measure("Report", &)

  def elapse(ns)
    @clock.monotonic_ns += ns
  end

  def charged(which)
    @probe.charged.filter_map { |_, index, ns| ns if index == Holdup::Probe::CHARGES[which] }
  end

  def test_a_wait_is_charged_and_a_checkout_without_one_is_not
    unit { @pool.checkout }
    assert_empty charged(:pool_wait)
    @pool.queue.waits = ->(timeout) { elapse(timeout) }
    unit { 2.times { @pool.checkout(7) } }
    assert_equal [7, 7], charged(:pool_wait)
  end

  def test_counts_a_wait_that_times_out_and_raises_its_error
    @pool.queue.waits = lambda do |timeout|
      elapse(timeout)
      raise TimeIsUp
    end
    unit { assert_raises(TimeIsUp) { @pool.checkout } }
    assert_equal [5], charged(:pool_wait)
  end

  def test_holds_are_not_recorded_before_the_first_wait
    @pool = @type.new
    assert_equal @type, @pool.method(:checkout).owner
    unit { @pool.checkout && elapse(3) }
    @pool.queue.waits = ->(timeout) { elapse(timeout) }
    unit { @pool.checkout && elapse(4) }
    assert_equal [4], charged(:pool_held)
  end

  def test_a_connection_that_is_thrown_away_is_kept_no_longer
    unit do
      @pool.remove(@pool.checkout.tap { elapse 3 })
      elapse 4
    end
    assert_equal [3], charged(:pool_held)
  end

  def test_a_connection_is_kept_from_checkout_to_checkin
    unit do
      connection = @pool.checkout
      elapse 3
      @pool.checkin(connection)
      elapse 4
    end
    assert_equal [3], charged(:pool_held)
  end

  def test_a_connection_that_comes_back_after_the_unit_is_charged_up_to_its_end
    connection = unit { @pool.checkout.tap { elapse 3 } }
    elapse 4
    @pool.checkin(connection)
    unit { @pool.checkin(@pool.checkout.tap { elapse 1 }) }
    assert_equal [3, 1], charged(:pool_held)
  end

  def test_the_same_connection_twice_is_kept_once
    unit do
      2.times { @pool.checkout }
      elapse 3
      2.times { @pool.checkin(@pool.connection) }
    end
    assert_equal [3], charged(:pool_held)
  end

  def test_the_inner_of_two_units_is_charged_with_what_it_took
    unit do
      unit { @pool.checkout.tap { elapse 3 } }
      elapse 4
    end
    assert_equal [[2, 1, 3]], @probe.charged
  end

  def test_what_threads_outside_of_units_keep_is_a_gauge
    @pool.queue.waits = ->(timeout) { elapse(timeout) }
    @pool.checkin(@pool.checkout.tap { elapse 3 })
    unit { Thread.new { @pool.checkin(@pool.checkout.tap { elapse 4 }) }.join }
    assert_empty @probe.charged
    assert_equal 7, @watcher.send(:outside_units).so_far
  end

  def test_nothing_is_kept_alive
    unit { @pool.checkin(@pool.checkout) }
    assert_nil @pool.connection.instance_variable_get(Holdup::Instrumentation::ConnectionPool::MARK)
  end

  def test_our_failure_is_not_the_applications
    @pool.connection = "frozen"
    assert_equal %w[frozen frozen], unit { [@pool.checkout, @pool.checkin("frozen")] }
    assert_match(/connection_pool failed/, @log.lines.first)
  end

  def test_the_hooked_methods_look_as_before
    plain = pool_class.new
    [[:checkout, plain, @pool], [:checkin, plain, @pool], [:remove, plain, @pool],
      [:wait_poll, plain.queue, @pool.queue]].each do |name, before, after|
      assert_equal before.method(name).parameters, after.method(name).parameters
    end
    assert @type::Queue.private_method_defined?(:wait_poll)
  end

  def test_a_method_that_looks_different_is_left_alone
    type = pool_class
    type.prepend(Module.new { def checkout(*) = super })
    type::Queue.class_eval { undef_method :wait_poll }
    before = [type.ancestors, type::Queue.ancestors]
    watcher = Holdup::Instrumentation::ConnectionPool.new(guard: @recorder.guard, clock: @clock)
    watcher.install_in(type)
    pool = type.new
    watcher.contend(pool)
    watcher.waited(pool, pool.connection)
    assert_equal before, [type.ancestors, type::Queue.ancestors]
    assert_empty [pool.singleton_methods, pool.connection.instance_variables].flatten
    said = @log.lines.map { |line| line[/#(\w+), so nothing is measured there: /, 1] }
    assert_equal %w[checkout wait_poll], said
  end

  def test_has_no_facts_without_active_record
    assert_equal [{}, [], {}], [@watcher.facts, @watcher.pools, @watcher.gauges]
  end
end
