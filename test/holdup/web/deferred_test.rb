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
    assert_equal [0, 0], [ask.ahead, ask.ahead]
    @gate << true
    assert_equal DONE, wait_until { ask.then { |answer| answer if answer == DONE } }
    assert_equal [1, 0], [@begun, ask.ahead]
    wait_until { @begun == 2 }
  end

  def test_another_question_stands_in_line_behind_it
    asked = [{}, {QUERY_STRING: "lang=ja"}, {HTTP_ACCEPT_LANGUAGE: "ja"}, {SCRIPT_NAME: "/holdup"}]
    2.times { assert_equal [0, 1, 2, 3], asked.map { |more| ask(**more).ahead } }
    assert_equal 0, ask("/compare").ahead, "another page has a line of its own"
    wait_until { @begun == 2 }
  end

  def test_what_is_said_meanwhile
    waits = [0, 3, nil].map { |ahead| Holdup::Web::Deferred::Later.new(ahead) }
    assert_equal [[202, 1, :worked_out], [202, 1, :in_line], [503, 5, :line_full]], waits.map { |later| [later.status, later.again_s, later.key] }
  end

  # It is not there for ever after.
  def test_what_fails_is_asked_anew
    2.times { assert_raises(IOError) { wait_until { @deferred.call({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/advice"}) { raise IOError }.then { nil } } } }
  end

  def test_what_is_quick_or_changes_something_is_answered_at_once
    3.times { @gate << true }
    [ask("/blame"), ask("/advice.json"), ask(verb: "POST")].each { |answer| assert_equal DONE, answer }
    assert_equal DONE, Holdup::Web::Deferred.new(clock: @clock, patience_s: nil).call({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/advice"}) { DONE }
  end

  def test_who_waits_behind_others_is_told_so
    @app = Holdup::Web.new(store: -> { @gate.pop }, dir: "/nonexistent", auth: :none, clock: CommandLine::Still.new(now_s: sample.to_s), patience_s: SHORT_S)
    shown = %w[1m 2m 3m 4m 5m 6m].map do |since|
      get "/compare", {"lang" => "en", "since" => since}
      [last_response.status, last_response.headers["refresh"], text[/This is being worked out|waits behind \d|as many as may wait/]]
    end
    assert_equal [[202, "1", "This is being worked out"], *(1..4).map { |ahead| [202, "1", "waits behind #{ahead}"] }, [503, "5", "as many as may wait"]], shown
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
