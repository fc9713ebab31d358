# frozen_string_literal: true

require "test_helper"
require_relative "../holdup/features/lab/small_server"
require_relative "../../bin/support/demo/customers"
require_relative "../../bin/support/demo/options"
require_relative "../../bin/support/demo/traffic"

# The load of bin/demo: it follows what the machine serves.
class DemoCustomersTest < Minitest::Test
  one_ruby

  SECOND_NS = 1_000_000_000
  MS = 1_000_000

  def teardown = @server&.close

  # Draws half of the time of every pause.
  class Median
    def rand = 0.5
  end

  def pace(**plan)
    Demo::CustomerPace.new(Demo::LoadPlan.new(customers: 6, seconds: 20, **plan), random: Median.new)
  end

  def answer(pace, times_ms, seconds)
    seconds.each { |second| times_ms.each { |ms| pace.answered(ms * MS, (second + 1) * SECOND_NS) } }
  end

  def test_customers_pause_as_many_times_as_long_as_the_shop_takes
    pace = pace(pauses: 2)
    answer(pace, [100], 0..1)
    assert_in_delta 2 * 100 * MS * Math.log(2), pace.pause_ns, 1
  end

  # A neighbour takes the CPUs: answers take ten times as long, and so do pauses, a second later. Then it
  # goes.
  def test_the_load_follows_the_machine_in_both_directions
    pace = pace(pauses: 2)
    pauses = [100, 1_000, 100].each_with_index.map do |ms, at|
      answer(pace, [ms], 2 * at..2 * at + 1)
      pace.pause_ns
    end
    assert_in_delta 10.0, pauses[1].fdiv(pauses[0]), 0.001
    assert_equal pauses[0], pauses[2]
  end

  def test_without_pauses_the_next_request_is_sent_at_once
    pace = pace(pauses: 0)
    answer(pace, [300], 0..1)
    assert_equal 0, pace.pause_ns
  end

  def test_a_rate_limits_what_fast_answers_would_allow
    pace = pace(pauses: 0, rate: 10)
    answer(pace, [1], 0..1)
    assert_in_delta (600 - 1) * MS * Math.log(2), pace.pause_ns, 1
  end

  def test_ends_with_enough_answers_but_not_never
    plan = Demo::LoadPlan.new(customers: 6, seconds: 20, answers: 430)
    refute plan.over?(19.9, 1_000), "it is too early"
    refute plan.over?(20.1, 429), "too few are answered"
    assert plan.over?(20.1, 430)
    assert plan.over?(100, 12), "the machine answers next to nothing"
  end

  def test_never_has_more_requests_open_than_there_are_customers
    open = most = 0
    lock = Mutex.new
    others = ConditionVariable.new
    @server = SmallServer.new do
      lock.synchronize do
        most = [most, open += 1].max
        others.broadcast
        others.wait(lock) until most >= 3
      end
      IO.select(nil, nil, nil, 0.02)
      lock.synchronize { open -= 1 }
      SmallServer.ok
    end
    outcome = load(Demo::LoadPlan.new(customers: 3, seconds: 0.5))
    assert_equal 3, most
    assert_equal @server.heads.size, outcome.count
    assert_equal [0, 0], [outcome.lost, outcome.unexpected]
  end

  # Ends with so many answers, however long this machine takes for them.
  class AnsweredPlan < Demo::LoadPlan
    ENOUGH = 24

    def over?(_elapsed_s, answered) = answered >= ENOUGH
  end

  # Requests that meet an empty shop say nothing about how long the others wait. The shop lets nobody go who
  # is alone there until enough have come, so that customers which this machine keeps from their CPU still
  # find somebody. Whoever comes later counts for nothing.
  def test_without_pauses_no_request_with_a_time_meets_an_empty_shop
    present = []
    lock = Mutex.new
    others = ConditionVariable.new
    open = 0
    @server = SmallServer.new do |head|
      lock.synchronize do
        present << [head.include?("x-request-start"), open += 1]
        others.broadcast
        others.wait(lock) until open > 1 || present.size >= AnsweredPlan::ENOUGH
        open -= 1
      end
      SmallServer.ok
    end
    outcome = load(AnsweredPlan.new(customers: 4, seconds: 0.5))
    assert_equal outcome.count, present.size
    assert_equal 4, present.count { |stamped, _| !stamped }, "the first request of each customer"
    stamped = present.first(AnsweredPlan::ENOUGH).filter_map { |with_a_time, people| people if with_a_time }
    assert_operator stamped.min, :>, 1
  end

  def test_with_pauses_each_request_says_when_it_was_sent
    @server = SmallServer.new { SmallServer.ok }
    load(Demo::LoadPlan.new(customers: 2, seconds: 0.3, pauses: 1))
    heads = Array.new(@server.heads.size) { @server.heads.pop }
    refute_empty heads
    heads.each { |head| assert_includes head, "x-request-start: t=" }
  end

  # The same customers of a shop that answers nothing until the one beside it has served many: each of them
  # waits with one request, no more come, and all are answered.
  def test_a_slower_server_gets_fewer_requests
    opened = Queue.new
    slow = SmallServer.new { opened.pop || SmallServer.ok }
    until_then = Class.new(Demo::LoadPlan) { define_method(:over?) { |*| opened.closed? } }
    waiting = Thread.new { load(until_then.new(customers: 4, seconds: 1, pauses: 1), slow) }
    @server = SmallServer.new { SmallServer.ok }
    served = load(AnsweredPlan.new(customers: 4, seconds: 1, pauses: 1)).count
    assert_operator served, :>=, AnsweredPlan::ENOUGH
    wait_until { slow.heads.size == 4 }
    opened.close
    outcome = waiting.value
    assert_equal [4, 0, 0], [outcome.count, outcome.lost, outcome.unexpected]
  ensure
    opened.close
    slow.close
  end

  def test_says_of_answers_that_nobody_waited_for_that_the_machine_was_too_busy
    @server = SmallServer.new { Thread.stop }
    outcome = load(Demo::LoadPlan.new(customers: 2, seconds: 0.1), patience_s: 0.3)
    assert_equal [2, 2], [outcome.count, outcome.lost]
    assert_equal "this machine was too busy: 2 requests got no answer within 60 s",
      Demo::Customers.too_busy(2)
    assert_match(/: 1 request got/, Demo::Customers.too_busy(1))
  end

  def test_the_shop_gets_two_requests_for_each_worker_at_a_time
    plan = Demo::Traffic.plan(Demo::Options.parse(%w[--seconds 12]), workers: 2)
    assert_equal 12, plan.customers
    assert_in_delta 4, plan.customers / (1.0 + plan.pauses)
    assert_in_delta 12, plan.seconds
    assert_nil plan.rate
    assert_in_delta 20, Demo::Traffic.plan(Demo::Options.parse(%w[--rate 20]), workers: 2).rate
  end

  private

  def load(plan, server = @server, **options)
    routes = [Holdup::Lab::Route.new(label: "a", path: "/a")]
    target = Holdup::Lab::Load::Target.new(server.url)
    Demo::Customers.new(target:, routes:, plan:, **options).run.fetch("a")
  end
end
