# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/servers/job_backlog"

# When it asks, and what it makes of the answers; real tables are in test/integration/job_backlog_test.rb.
class Holdup::Servers::JobBacklogTest < Minitest::Test
  Waiting = Holdup::Servers::JobBacklog::WaitingJobs
  SECOND_NS = 1_000_000_000

  def setup
    @clock = HandClock.new(realtime_ns: 1_700_000_000 * SECOND_NS)
    @asked = []
    @log = CollectedLog.new
  end

  def backlog(queues: -> {}, took_ns: 0, &answer)
    table = lambda do |names, now_s:|
      @asked << [names, now_s]
      @clock.monotonic_ns += took_ns
      answer.call
    end
    guard = Holdup::Guard.new(log: @log, clock: @clock)
    Holdup::Servers::JobBacklog.new(table, guard:, queues:, clock: @clock)
  end

  def test_adds_up_the_queues_of_a_pool
    found = {"mails" => Waiting.new(size: 3, oldest_ns: 5), "urgent" => Waiting.new(size: 2, oldest_ns: 9),
             "reports" => Waiting.new(size: 7, oldest_ns: 99)}
    one = backlog(queues: -> { %w[mails urgent] }) { found }.tap(&:look)
    assert_equal Waiting.new(size: 5, oldest_ns: 9), one.of { |queue| queue != "reports" }
    assert_equal [[%w[mails urgent], 1_700_000_000.0]], @asked
  end

  def test_queues_of_a_pool_with_their_lanes
    found = {"mails" => Waiting.new(size: 3, oldest_ns: nil), "other" => Waiting.new(size: 2, oldest_ns: 9),
             "reports" => Waiting.new(size: Holdup::Servers::JobBacklog::MOST_JOBS, oldest_ns: 99)}
    lanes = {"reports" => 0, "mails" => 1}
    assert_equal [Holdup::WaitingQueue.new(name: "mails", size: 3, lane: 1),
      Holdup::WaitingQueue.new(name: "reports", size: 10_000, lane: 0, more: true)],
      backlog { found }.tap(&:look).queues { |queue| lanes[queue] }
  end

  def test_queues_are_unknown_before_the_first_answer
    assert_empty(backlog { {} }.queues { 0 })
  end

  def test_a_pool_without_waiting_jobs_has_none
    assert_equal Waiting.new(size: 0, oldest_ns: 0), backlog { {} }.tap(&:look).of { true }
  end

  def test_an_age_is_unknown_where_jobs_do_not_say_since_when_they_wait
    found = {"mails" => Waiting.new(size: 3, oldest_ns: nil), "urgent" => Waiting.new(size: 0, oldest_ns: 0)}
    assert_equal Waiting.new(size: 3, oldest_ns: nil), backlog { found }.tap(&:look).of { true }
  end

  def test_is_unknown_before_the_first_answer
    assert_nil backlog { {} }.of { true }
  end

  def test_is_unknown_after_a_failure_which_is_logged_once
    answers = [-> { {} }, -> { raise "no connection" }, -> { raise "no connection" }]
    one = backlog { answers.shift.call }
    3.times { one.look }
    assert_nil(one.of { true })
    assert_equal 1, @log.lines.size
    assert_includes @log.lines.first, "no connection"
  end

  def test_a_slow_answer_puts_the_next_question_off
    one = backlog(took_ns: 2 * SECOND_NS) { {} }
    assert one.send(:due?)
    one.look
    @clock.monotonic_ns = 199 * SECOND_NS
    refute one.send(:due?)
    @clock.monotonic_ns = 200 * SECOND_NS
    assert one.send(:due?)
  end
end
