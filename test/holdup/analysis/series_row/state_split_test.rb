# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SeriesRow::StateSplitTest < Minitest::Test
  def split(**states)
    Holdup::Analysis::SeriesRow::StateSplit.new(*[0] * 7).with(**states)
  end

  def test_shares_are_of_the_whole
    one = split(cpu: 30, stalled: 60, io: 10)
    assert_equal 100, one.total
    assert_in_delta 0.6, one.share(:stalled)
    assert_equal :stalled, one.largest
  end

  # Threads that share native threads have no CPU clock: all of running is cpu, and the states add up.
  def test_where_the_cpu_time_is_unknown_cpu_is_all_of_running
    histograms = {running: Holdup::Histogram.of([3_000_000]), stalled: Holdup::Histogram.of([1_000_000])}
    window = ->(sums) { SampleWindows.new.window("A#b", count: 1, histograms:, sums:) }
    split = ->(sums) { Holdup::Analysis::SeriesRow::StateSplit.of(window.call(sums)) }
    assert_equal [3_000_000, 0], split.call({io_ns: 5}).to_h.values_at(:cpu, :starved)
    assert_equal [0, 3_000_000], split.call({starved_ns: 3_000_000}).to_h.values_at(:cpu, :starved)
    assert window.call({io_ns: 5}).cpu_unknown?
    assert_equal 3_000_000, window.call({io_ns: 5}).most_cpu_ns
    refute window.call({starved_ns: 3_000_000}).cpu_unknown?
    assert_equal 0, window.call({starved_ns: 3_000_000}).most_cpu_ns
  end

  def test_nothing_has_no_shares
    assert_in_delta 0.0, split.share(:cpu)
  end
end
