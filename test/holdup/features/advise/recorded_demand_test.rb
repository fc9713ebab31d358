# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::RecordedDemandTest < Minitest::Test
  def window(kind, count, running, idle, acquisitions: 0)
    series = Holdup::Series.new(kind:, name: "A#{running}")
    empty = Holdup::Window.empty(series:)
    histograms = {running:, idle:}.transform_values { |ms| Holdup::Histogram.of([ms * 1_000_000] * count) }
    empty.with(count:, sums: {**empty.sums, acquisitions:}, histograms: {**empty.histograms, **histograms})
  end

  def of(*windows) = Holdup::Advise::RecordedDemand.of(windows)

  def test_the_mean_of_all_requests
    found = of(window(:request, 3, 10, 40, acquisitions: 9), window(:request, 1, 50, 0, acquisitions: 3),
      window(:job, 9, 900, 900, acquisitions: 9))
    assert_equal [:request, 4], [found.kind, found.count]
    assert_equal [20e6, 30e6, 3], [found.demand.held_ns, found.demand.idle_ns, found.demand.acquisitions]
  end

  def test_jobs_where_there_are_no_requests
    found = of(window(:job, 2, 10, 30, acquisitions: 1))
    assert_equal [:job, 0.75, 1], [found.kind, found.demand.idle_share, found.demand.acquisitions]
  end

  def test_nothing_of_nothing
    assert_nil of
    assert_nil of(window(:request, 0, 10, 30))
    assert_nil of(window(:request, 2, 0, 30))
  end
end
