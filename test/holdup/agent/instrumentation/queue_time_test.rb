# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/queue_time"

class Holdup::Instrumentation::QueueTimeTest < Minitest::Test
  NOW_NS = 1_700_000_000_503_000_000

  def setup
    @clamped = 0
    @queue = Holdup::Instrumentation::QueueTime.new(
      header: "X-Request-Start", clock: HandClock.new(realtime_ns: NOW_NS), on_clamp: -> { @clamped += 1 }
    )
  end

  def queued(header, **env)
    @queue.call({"HTTP_X_REQUEST_START" => header}.merge(env.transform_keys(&:to_s)))
  end

  # 100 ms before now, as each proxy would say it.
  def test_every_unit_that_proxies_send
    %w[1700000000.403 t=1700000000.403 1700000000403 t=1700000000403 1700000000403000 t=1700000000403000
      1700000000403000000 t=1700000000403000000 1700000000403.0].each do |header|
      assert_in_delta 100_000_000, queued(header), 1_000, header
    end
  end

  def test_the_other_header
    assert_in_delta 100_000_000, @queue.call({"HTTP_X_QUEUE_START" => "t=1700000000403"}), 1_000
  end

  def test_a_header_of_the_users_own
    queue = Holdup::Instrumentation::QueueTime.new(header: "X-Begin",
      clock: HandClock.new(realtime_ns: NOW_NS), on_clamp: -> {})
    assert_in_delta 100_000_000, queue.call({"HTTP_X_BEGIN" => "1700000000403"}), 1_000
  end

  def test_the_first_of_several_proxies_counts
    assert_in_delta 100_000_000, queued("t=1700000000.403, t=1700000000.480"), 1_000
  end

  def test_is_unknown_without_a_header
    assert_nil @queue.call({})
    assert_nil queued("")
  end

  def test_a_start_in_the_future_is_zero_and_counted
    assert_equal 0, queued("1700000001.003")
    assert_equal 1, @clamped
  end

  def test_more_than_an_hour_is_nonsense
    assert_nil queued("1699996399.003")
    assert_operator queued("1699996402.003"), :>, 3_590_000_000_000
    assert_equal 0, @clamped
  end

  def test_subtracts_pumas_body_wait
    assert_in_delta 60_000_000, queued("1700000000403", "puma.request_body_wait" => 40.0), 1_000
    assert_equal 0, queued("1700000000403", "puma.request_body_wait" => 400)
    assert_in_delta 100_000_000, queued("1700000000403", "puma.request_body_wait" => "40"), 1_000
  end

  # Requests that nothing waited for, a tenth of a second after each other.
  def idle(count)
    clock = HandClock.new
    @idle = Holdup::Instrumentation::QueueTime.new(header: "X-Request-Start", clock:,
      on_clamp: -> { @clamped += 1 })
    Array.new(count) do |index|
      clock.realtime_ns = NOW_NS + index * 103_000_000
      @idle.call({"HTTP_X_REQUEST_START" => yield(clock.realtime_ns)})
    end
  end

  def test_whole_seconds_are_no_queue
    assert_equal [nil], idle(300) { |now_ns| "t=#{now_ns / 1_000_000_000}" }.uniq
    assert_equal({"queue.step_ms" => 1_000, "queue.header" => "X-Request-Start"}, @idle.profile)
  end

  def test_seconds_with_zeros_as_milliseconds_are_no_queue
    assert_equal [nil], idle(300) { |now_ns| "t=#{now_ns / 1_000_000_000}000" }.uniq
  end

  def test_rounded_seconds_are_neither_a_queue_nor_a_wrong_clock
    assert_equal [nil], idle(300) { |now_ns| (now_ns / 1e9).round.to_s }.uniq
    assert_equal 0, @clamped
  end

  def test_steps_of_ten_milliseconds_are_no_queue
    assert_equal [nil], idle(300) { |now_ns| format("t=%.2f", now_ns / 1e9) }.uniq
    assert_equal 10, @idle.profile["queue.step_ms"]
  end

  def test_a_fine_clock_beside_a_coarse_one
    index = 0
    queued = idle(300) do |now_ns|
      (index += 1).odd? ? "t=#{now_ns / 1_000_000_000}" : "t=#{now_ns / 1_000_000}"
    end
    assert_equal [nil], queued.each_slice(2).map(&:first).uniq
    assert_operator queued.each_slice(2).map(&:last).compact.max, :<=, 1_000_000
  end

  def test_a_fine_clock_has_no_profile
    idle(300) { |now_ns| "t=#{now_ns / 1_000_000}" }
    assert_empty @idle.profile
  end

  def test_hostile_headers_are_harmless
    headers = [
      "x" * 100_000, "9" * 100_000, "t=", "t=t=1700000000", "\0\0", "\xff\xfe".b, "\xff1700",
      "1e999", "-1e999", "NaN", "Infinity", "0", "-1", "12", "000000000", "1700000000.4.5", "170000000x",
      "99999999999999999999999", "1700000000.4\0", "t=\u0661\u0662"
    ]
    headers.each do |header|
      value = queued(header)
      assert value.nil? || value.between?(0, 3_600_000_000_000), header[0, 30].inspect
    end
    assert_nil queued(["1700000000"])
    assert_nil queued(1_700_000_000)
  end
end
