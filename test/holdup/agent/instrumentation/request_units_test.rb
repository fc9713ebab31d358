# frozen_string_literal: true

require "test_helper"

class Holdup::Instrumentation::RequestUnitsTest < Minitest::Test
  include MeasuredRequests

  def test_what_the_server_says_counts
    list = []
    middleware { ok }.call(env("/", "rack.response_finished" => list))
    list.each { |finished| finished.call({}, 200, {}, IOError.new("gone")) }
    assert recorded.error
    middleware { ok }.call(env("/", "rack.response_finished" => list.clear))
    list.each { |finished| finished.call({}, 503, {}, nil) }
    assert_equal 2, @probe.recorded.count(&:error)
  end

  def test_a_client_that_has_gone_is_not_an_error_of_the_application
    list = []
    middleware { ok }.call(env("/", "rack.response_finished" => list))
    list.each { |finished| finished.call({}, 200, {}, Errno::EPIPE.new) }
    refute recorded.error
  end

  # Pitchfork passes no arguments when the arity is 0.
  def test_a_server_that_checks_the_arity_passes_the_error
    list = []
    middleware { ok }.call(env("/", "rack.response_finished" => list))
    refute_equal 0, list.first.arity
  end

  def test_ignored_paths_are_not_measured
    app = ok
    assert_same app, middleware { app }.call(env("/up"))
    assert_empty @probe.recorded
  end

  def test_paths_that_begin_like_an_ignored_one_are_compared_with_it
    setup(ignored_starts: %w[/up])
    %W[/upper /x/up /up\xff].each { |path| middleware { ok }.call(env(path))[2].close }
    middleware { ok }.call(env("/up"))
    assert_equal 3, @probe.entered.size
  end

  def test_queue_time_is_recorded_and_skew_counted
    middleware { ok }.call(env("/", "HTTP_X_REQUEST_START" => "t=1700000000.253"))[2].close
    assert_in_delta 247_000_000, recorded.queued_ns, 1_000
    middleware { ok }.call(env("/", "HTTP_X_REQUEST_START" => "t=1700000001.003"))[2].close
    assert_equal [0, [9]], [recorded.queued_ns, @probe.counted]
  end

  def test_the_next_request_forgets_a_response_that_was_never_finished
    first = middleware { ok }.call(env)
    middleware { ok }.call(env)[2].close
    assert_equal [[1], [2]], [@probe.cancelled, @probe.recorded.map(&:handle)]
    first[2].close
    assert_equal 1, @probe.recorded.size
    assert_nil Holdup::Recorder::OpenUnit.current
  end
end
