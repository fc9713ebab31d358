# frozen_string_literal: true

require "test_helper"
require "holdup/clock"
require "holdup/web"
require "support/dashboard"
require "support/sample_processes"

class Holdup::Web::DeferredTest < Minitest::Test
  include Dashboard

  SHORT_S = 0.01
  DONE = [200, {}, ["done"]].freeze

  def setup
    @clock = HandClock.new
    @gate = Queue.new
    @begun = 0
    @deferred = Holdup::Web::Deferred.new(clock: @clock, patience_s: SHORT_S)
  end

  def teardown = @gate.close

  def ask(path = "/advice", verb: "GET", **more) = @deferred.call({"REQUEST_METHOD" => verb, "PATH_INFO" => path, **more.transform_keys(&:to_s)}) { slow }

  def slow
    @begun += 1
    @gate.pop
    DONE
  end

  def test_what_takes_long_is_worked_out_once_and_given_when_it_is_there
    assert_equal [nil, nil, 1], [ask, ask, @begun]
    @gate << true
    assert_equal DONE, wait_until { ask }
    assert_equal [nil, 2], [ask, @begun]
  end

  def test_another_question_is_another_answer
    asked = [{}, {QUERY_STRING: "lang=ja"}, {HTTP_ACCEPT_LANGUAGE: "ja"}, {SCRIPT_NAME: "/holdup"}]
    2.times { asked.each { |more| assert_nil ask(**more) } }
    assert_equal asked.size, @begun
  end

  def test_what_is_quick_or_changes_something_is_answered_at_once
    3.times { @gate << true }
    [ask("/blame"), ask("/advice.json"), ask(verb: "POST")].each { |answer| assert_equal DONE, answer }
    assert_equal DONE, Holdup::Web::Deferred.new(clock: @clock, patience_s: nil).call({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/advice"}) { DONE }
  end

  # Not what is still under way: it would begin anew at each look.
  def test_what_nobody_came_for_is_forgotten
    ask
    @gate << true
    ask("/compare")
    works = -> { @deferred.instance_variable_get(:@works) }
    wait_until { works.call.values.any? { |work| !work.thread.alive? } }
    @clock.monotonic_ns += (Holdup::Web::Deferred::KEPT_S + 1) * 1_000_000_000
    ask("/compare", QUERY_STRING: "b=1")
    assert_equal %w[/compare /compare], works.call.keys.map { |key| key[1] }
  end

  def test_the_page_meanwhile_comes_again_by_itself
    store = sample_store
    @app = Holdup::Web.new(store: -> { @gate.pop && store }, dir: "/nonexistent", auth: :none, clock: CommandLine::Still.new(now_s: sample.to_s), patience_s: SHORT_S)
    get "/compare", {"lang" => "ja"}
    assert_equal [202, "1"], [last_response.status, last_response.headers["refresh"]]
    assert_includes text, "計算中です"
    @gate << true
    wait_until { (last_response.status == 200) || get("/compare", {"lang" => "ja"}).then { last_response.status == 200 } }
    refute_includes text, "計算中です"
  end

  def test_who_may_not_see_it_starts_nothing
    @app = Holdup::Web.new(store: -> { flunk }, dir: "/nonexistent", patience_s: SHORT_S)
    get "/advice"
    assert_equal 403, last_response.status
  end
end
