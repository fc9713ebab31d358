# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SeriesRowTest < Minitest::Test
  def row(**options)
    Holdup::Analysis::SeriesRow.new(name: "A", kind: :request, queue: nil,
      window: SampleWindows.new.window("A", **options))
  end

  def sums(running:, idle:, stalled:)
    {running:, idle:, stalled:}.transform_values { |ns| Holdup::Histogram.of_sum(ns) }
  end

  def test_figures_per_unit_and_acquisition
    one = row(count: 4, errors: 1, sums: {acquisitions: 20},
      histograms: {stalled: Holdup::Histogram.of([2_000] * 4)})
    assert_in_delta 2_000.0, one.per_unit(one.stalled_ns)
    assert_in_delta 400.0, one.stall_per_acquisition
    assert_in_delta 0.25, one.error_share
  end

  def test_the_io_share_leaves_stall_out
    one = row(histograms: sums(running: 30, idle: 60, stalled: 10))
    assert_in_delta 60 / 90.0, one.idle_share
    assert_in_delta 0.7, one.idle_and_stall_share
  end

  def test_nothing_divides_by_zero
    assert_equal [nil] * 4,
      [row.per_unit(5), row.stall_per_acquisition, row.idle_share, row.idle_and_stall_share]
  end
end
