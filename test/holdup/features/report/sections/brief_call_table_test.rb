# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::BriefCallTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  ORDERS = "OrdersController#index"

  def calls
    histograms = {wall: Holdup::Histogram.of([2 * MS] * 600), idle: Holdup::Histogram.of([MS] * 600)}
    SAMPLE.window(ORDERS, kind: :call, queue: "sql primary", count: 600, histograms:)
  end

  def section(windows, *calls)
    summary = Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s, calls:)
    Holdup::Report::Sections::BriefCallTable.new(summary, words: Holdup::View::Words.new, limit: 5).call
  end

  def orders = SAMPLE.to_a.select { |window| window.series.name == ORDERS }

  def test_a_row_for_each_system_without_the_name_of_the_caller
    assert_equal [["SQL primary", "2", "4.00 ms", "2.00 ms"]], section(orders, calls).rows
  end

  def test_nothing_without_calls_and_for_several_names
    assert_nil section(orders)
    assert_nil section(SAMPLE.to_a, calls)
  end
end
