# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::PushThreadTest < Minitest::Test
  def setup
    @log = CollectedLog.new
  end

  def teardown
    @thread&.stop
  end

  def thread(interval_s: 0.01, close_s: 0.2, &push)
    @thread = Holdup::Export::PushThread.new("Receiver", address: "host:1", interval_s:, close_s:,
      log: @log, &push)
    @thread.start
    @thread
  end

  def test_pushes_at_intervals_and_once_more_at_the_end
    pushes = 0
    one = thread { pushes += 1 }
    wait_until { pushes > 3 }
    one.stop
    before = pushes
    one.start
    one.stop
    assert_operator pushes, :>, before
    assert_empty @log.lines
  end

  def test_the_end_comes_although_the_interval_is_long
    pushes = 0
    one = thread(interval_s: 3600) { pushes += 1 }
    one.start
    one.stop
    assert_equal 1, pushes
    assert_equal ["figures for Receiver go to host:1 every 3600 s"], @log.infos
  end

  # Figures that came while a push was under way.
  def test_an_end_during_a_push_has_another_one
    states = Thread::Queue.new
    go = Thread::Queue.new
    one = thread(close_s: 60) do
      states << :pushing
      go.pop
    end
    states.pop
    ending = Thread.new { one.stop }
    wait_until { ending.status == "sleep" }
    go.close
    ending.join
    assert_operator states.size, :>=, 1
  end

  def test_a_push_that_hangs_is_left
    hanging = Thread::Queue.new
    one = thread { hanging.pop }
    wait_until { hanging.num_waiting == 1 }
    one.stop
    assert_equal ["Receiver did not take the last figures within 0.2 s; the store has them"], @log.lines
    assert(wait_until { hanging.num_waiting.zero? })
  end

  def test_messages_of_an_outage_are_logged_once_and_its_end
    pushes = 0
    up = false
    thread do
      pushes += 1
      raise "down #{pushes % 2}" unless up
    end
    wait_until { pushes > 10 }
    up = true
    wait_until { @log.lines.grep(/again/).any? }
    failures = ["Receiver did not get figures: down 0", "Receiver did not get figures: down 1"]
    assert_equal [*failures, "Receiver gets figures again"], @log.lines.sort
  end

  def test_ever_new_messages_do_not_fill_the_log
    pushes = 0
    thread do
      pushes += 1
      raise "down #{pushes}"
    end
    wait_until { pushes > 10 }
    assert_equal 3, @log.lines.size
  end
end
