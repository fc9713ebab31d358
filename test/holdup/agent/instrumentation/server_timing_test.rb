# frozen_string_literal: true

require "test_helper"

class Holdup::Instrumentation::ServerTimingTest < Minitest::Test
  include MeasuredRequests

  ServerTiming = Holdup::Instrumentation::ServerTiming

  # A probe that says what was measured.
  class SayingProbe < RecordingProbe
    def figures(_handle)
      known = {wall_ns: 90_000_000, stalled_ns: 12_300_000, io_ns: 48_000_000, cpu_ns: 5_000_000}
      Holdup::Measurement.members.map { |name| known.fetch(name, 0) }
    end
  end

  OWN = "gvl;dur=12.3, io;dur=48.0, cpu;dur=5.0"

  def setup
    super(server_timing: true)
    @probe = SayingProbe.new
    @requests = Holdup::Instrumentation::RequestUnits.new(
      recorder: Holdup::Recorder.new(probe: @probe, guard: @guard = guard), ignored: %r{\A/up\z},
      names: Holdup::Instrumentation::UnitName.new(guard: @guard), queue: Struct.new(:key).new("HTTP_X"),
      server_timing: true
    )
  end

  def guard = Holdup::Guard.new(log: @log, clock: HandClock.new)

  def headers(given = {}, &app)
    app ||= ->(_) { [200, given, []] }
    middleware(app).call(env)[1]
  end

  def test_a_response_has_the_figures_so_far
    assert_equal({"server-timing" => OWN}, headers)
  end

  def test_what_the_application_says_stays
    assert_equal({"server-timing" => "db;dur=3, #{OWN}"}, headers({"server-timing" => "db;dur=3"}))
    assert_equal({"Server-Timing" => "db;dur=3, #{OWN}"}, headers({"Server-Timing" => "db;dur=3"}))
    assert_equal({"server-timing" => "a, b, #{OWN}"}, headers({"server-timing" => %w[a b]}))
  end

  def test_a_second_middleware_in_the_same_request_adds_nothing
    inner = middleware { [200, {}, []] }
    assert_equal({"server-timing" => OWN}, headers { |env| inner.call(env) })
  end

  def test_what_is_not_measured_has_none
    assert_empty middleware { [200, {}, []] }.call(env("/up"))[1]
  end

  def test_an_answer_that_can_not_be_changed_goes_on_as_it_is
    answers = [nil, [], "text", [200, nil, []], [200, {}.freeze, []].freeze]
    answers.each { |answer| assert_same answer, ServerTiming.new(->(_) { answer }, @guard).call(env) }
    assert_empty @guard.failures
  end

  def test_without_the_setting_the_application_is_called_directly
    requests = Holdup::Instrumentation::RequestUnits.new(
      recorder: Holdup::Recorder.new(probe: @probe, guard: @guard), ignored: /x/,
      names: Holdup::Instrumentation::UnitName.new(guard: @guard), queue: Struct.new(:key).new("HTTP_X")
    )
    app = ->(_) {}
    assert_same app, requests.around(app)
  end

  def test_where_the_header_is_wanted
    assert ServerTiming.wanted?(:always)
    refute ServerTiming.wanted?(:off)
    refute ServerTiming.wanted?(:development), "no Rails in development here"
  end
end
