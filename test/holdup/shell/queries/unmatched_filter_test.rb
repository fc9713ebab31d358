# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::UnmatchedFilterTest < Minitest::Test
  def setup
    @sample = SampleWindows.new
    @store = Holdup::Store.open("memory:")
    job = Holdup::Series.new(kind: :job, name: "レポートJob", queue: "低い")
    window = @sample.window("A", count: 3, histograms: {wall: Holdup::Histogram.of([5])})
    @store.commit([*@sample.to_a, window.with(series: job)], {})
  end

  def test_a_filter_with_a_match_is_no_error
    [{}, {kind: :job}, {queue: "低い"}, {name: "Orders*", threads: 5}].each { |filter|
      assert_nil unmatched(**filter), filter.inspect
    }
  end

  def test_an_empty_span_blames_no_filter
    assert_nil Holdup::Queries::UnmatchedFilter.of(@store, 0, 60,
      Holdup::Analysis::UnitFilter.new(name: "zzz"))
  end

  def test_the_first_part_that_leaves_nothing
    {
      {kind: :job, name: "Orders*"} => [:name, ["レポートJob"]],
      {queue: "高い", name: "zzz"} => [:queue, ["低い"]],
      {kind: :request, queue: "低い"} => [:queue, []],
      {name: "レポート*", threads: 4} => [:threads, ["5"]]
    }.each do |filter, expected|
      assert_equal expected, unmatched(**filter).then { |found| [found.part, found.known] }, filter.inspect
    end
  end

  def test_names_that_are_near
    assert_equal ["OrdersController#index"], unmatched(name: "OrderController#index").nearest
    assert_equal ["レポートJob"], unmatched(name: "*ポート").nearest
    assert_match(/did you mean レポートJob\?/, unmatched(name: "レポートJop").error.message)
  end

  private

  def unmatched(**filter)
    filter = Holdup::Analysis::UnitFilter.new(**filter)
    Holdup::Queries::UnmatchedFilter.of(@store, @sample.from_s, @sample.to_s, filter)
  end
end
