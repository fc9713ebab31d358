# frozen_string_literal: true

require "test_helper"
require "fuzz/fuzzing"
require "holdup/agent/guard"
require "holdup/agent/instrumentation/queue_time"
require "holdup/agent/instrumentation/unit_name"

# What a client sends: headers that say when a proxy received the request, methods and paths.
class HeadersFuzzTest < Minitest::Test
  include Fuzzing

  NOW_NS = 1_700_000_000_500_000_000
  LONGEST_NS = 3_600_000_000_000

  repeated_everywhere def test_queue_time_is_unknown_or_below_an_hour
    clock = HandClock.new(realtime_ns: NOW_NS)
    queue = Holdup::Instrumentation::QueueTime.new(header: "X-Request-Start", clock:, on_clamp: -> {})
    outcomes = fuzz(2_000, thorough: 40_000, nightly: 200_000) do |input|
      body_wait_ms = input.random.rand(9)
      queued = queue.call("HTTP_X_REQUEST_START" => header(input), "puma.request_body_wait" => body_wait_ms)
      assert_includes 0..LONGEST_NS, queued if queued
      queued ? :known : :unknown
    end
    assert_operator outcomes[:known], :>, 0
    assert_operator outcomes[:unknown], :>, 0
  end

  repeated_everywhere def test_names_of_requests_are_few
    guard = Holdup::Guard.new(log: CollectedLog.new, clock: HandClock.new)
    namer = Holdup::Instrumentation::UnitName.new(guard:)
    fuzz(2_000, thorough: 40_000, nightly: 200_000) do |input|
      env = {"REQUEST_METHOD" => input.one_of(["GET", "POST", input.text]),
             "PATH_INFO" => input.one_of(["/", ""]).b + input.text.b, "SCRIPT_NAME" => ""}
      name = namer.call(env, input.one_of([200, 404, 500]))
      assert_match(/\A[A-Z]+ (?:\/[\w.:-]*|\(.+\))\z/, name)
      :named
    end
    assert_empty guard.failures
  end

  private

  # Numbers near what proxies send, and anything.
  def header(input)
    return input.text if input.chance?(0.4)
    ago_ns = input.random.rand(-10**9..2 * LONGEST_NS)
    text = ((NOW_NS - ago_ns) / input.one_of([1, 1_000, 1_000_000, 1_000_000_000])).to_s
    text = "t=#{text}" if input.chance?(0.5)
    text = "#{text},#{input.text.b}" if input.chance?(0.2)
    text
  end
end
