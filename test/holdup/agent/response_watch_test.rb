# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/response_watch"

class Holdup::ResponseWatchTest < Minitest::Test
  Entry = Data.define(:series_index, :wall_ns, :queued_ns)
  MS = 1_000_000

  # A segment with one row of requests and one of jobs.
  class Requests
    Header = Data.define(:ring_head, :series_count)

    def initialize
      @entries = []
      @counts = [[:request, 0, 0], [:job, 0, 0]]
    end

    def add(count, ms:, queued_ms: 0, failed: 0, row: 0)
      count.times { @entries << Entry.new(series_index: row, wall_ns: ms * MS, queued_ns: queued_ms * MS) }
      @counts[row] = [@counts[row][0], @counts[row][1] + count, @counts[row][2] + failed]
    end

    def reader = self

    def header = Header.new(ring_head: @entries.size, series_count: 2)

    def slot(index, _known, as:)
      kind, count, errors = @counts[index]
      as.new(series: Holdup::Series.new(kind:, name: "x"), count:, errors:)
    end

    def ring(since:) = @entries.drop(since)
  end

  def setup
    @clock = HandClock.new
    @requests = Requests.new
    @watch = Holdup::ResponseWatch.new(segment: @requests, clock: @clock)
    @goal = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=300ms threads=1..8 window=10")
    @watch.start(@goal)
  end

  # @return [String, nil] after a window with these requests
  def window(count = 100, **requests)
    @requests.add(count, **requests) if count.positive?
    @clock.monotonic_ns += 10_000_000_000
    @watch.call
  end

  def test_two_windows_over_the_promise_are_a_breach
    assert_nil window(ms: 400)
    assert_equal "@slow percentile=p95 count=100 found=400 goal=p95=300ms", window(ms: 400)
  end

  def test_a_good_window_in_between_forgives
    assert_nil window(ms: 400)
    assert_nil window(ms: 100)
    assert_nil window(ms: 400)
  end

  def test_time_in_the_queue_counts
    assert_nil window(ms: 200, queued_ms: 200)
    assert_match(/found=400/, window(ms: 200, queued_ms: 200))
  end

  def test_failed_requests_are_a_breach
    assert_nil window(ms: 10, failed: 6)
    assert_equal "@errors share=6.0 count=100", window(ms: 10, failed: 6)
  end

  def test_few_requests_and_jobs_say_nothing
    4.times { assert_nil window(19, ms: 900) }
    4.times { assert_nil window(ms: 900, row: 1) }
    4.times { assert_nil window(0, ms: 0) }
  end

  def test_a_window_is_judged_when_it_is_over_and_only_while_watched
    window(ms: 400)
    @requests.add(100, ms: 400)
    @clock.monotonic_ns += 9_000_000_000
    assert_nil @watch.call
    @watch.stop
    @clock.monotonic_ns += 9_000_000_000
    assert_nil @watch.call
  end

  def test_what_ended_before_the_change_does_not_count
    @requests.add(100, ms: 900)
    @watch.start(@goal)
    3.times { assert_nil window(ms: 100) }
  end
end
