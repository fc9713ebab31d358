# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/runtime/ticker"

class Holdup::Runtime::TickerTest < Minitest::Test
  def setup
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
  end

  def ticker(seconds)
    Holdup::Runtime::Ticker.new(seconds:, guard: @guard)
  end

  def test_ticks_at_once_and_again_until_it_is_stopped
    ticks = Queue.new
    ticker = ticker(0.01).start { ticks << 1 }
    3.times { assert_equal 1, ticks.pop(timeout: WaitUntil::PATIENCE_S) }
    ticker.stop
    refute_predicate ticker, :alive?
  end

  def test_let_go_its_thread_ends_by_itself
    before = Thread.list
    ticks = Queue.new
    ticker = ticker(60).start { ticks << 1 }
    ticks.pop(timeout: WaitUntil::PATIENCE_S)
    ticker.let_go
    refute_predicate ticker, :alive?
    wait_until { (Thread.list - before).empty? }
    ticker.stop
  end

  def test_stops_without_waiting_for_the_next_tick
    before = Thread.list
    ticked = Queue.new
    ticker = ticker(60).start { ticked << 1 }
    ticked.pop(timeout: WaitUntil::PATIENCE_S)
    ticker.stop
    wait_until { (Thread.list - before).empty? }
    refute_predicate ticker, :alive?
  end

  def test_survives_a_failing_tick
    ticks = Queue.new
    ticker = ticker(0.01).start { (ticks << 1) && raise("ours") }
    2.times { assert_equal 1, ticks.pop(timeout: WaitUntil::PATIENCE_S) }
    ticker.stop
    assert_match(/tick failed/, @log.lines.first)
  end

  def test_a_fork_waits_for_the_end_of_a_tick_and_no_longer_than_told
    begun, gate = Queue.new, Queue.new
    ticked = 0
    ticker = ticker(60).start do
      begun << 1
      gate.pop
      ticked += 1
    end
    begun.pop(timeout: WaitUntil::PATIENCE_S)
    ticker.wait_until_asleep(patience_s: 0.01)
    assert_equal 0, ticked
    gate << 1
    ticker.wait_until_asleep(patience_s: WaitUntil::PATIENCE_S)
    assert_equal 1, ticked
    ticker.stop
  end

  def test_a_fork_does_not_wait_for_a_thread_that_is_gone
    ticker = ticker(0.001).start { nil }
    ticker.stop
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    ticker.wait_until_asleep(patience_s: WaitUntil::PATIENCE_S)
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - from, :<, WaitUntil::PATIENCE_S / 2
  end

  def test_its_thread_has_a_name_and_is_safe_to_fork
    ready = Queue.new
    ticker = ticker(60).start { ready << Thread.current }
    thread = ready.pop(timeout: WaitUntil::PATIENCE_S)
    wait_until { thread.thread_variable_get(:fork_safe) }
    assert_equal "holdup", thread.name
    ticker.stop
  end
end
