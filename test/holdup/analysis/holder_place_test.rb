# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/sampled_methods"

class Holdup::Analysis::HolderPlaceTest < Minitest::Test
  include SampledMethods

  ORDERS = "OrdersController#index"

  def call(queue, count)
    SAMPLE.window(ORDERS, kind: :call, queue:, count:, histograms: {wall: Holdup::Histogram.of([MS] * count)})
  end

  def place(name, calls: [])
    units = [SAMPLE.window(ORDERS, count: 10)]
    Holdup::Analysis::HolderPlace.of(name, methods: sampled_methods, calls:, units:)
  end

  def test_is_the_method_that_keeps_others_waiting_most
    found = place(SALES)
    assert_equal "SalesReport#rows", found.sampled.label
    assert_equal "app/models/sales_report.rb:41", found.sampled.location
    assert_equal "Cron#run", place("thread:cron").sampled.label
  end

  # An N+1 holds the GVL often and never for long.
  def test_is_the_call_that_comes_most_often_where_there_is_no_sample
    found = place(ORDERS, calls: [call("redis cache", 30), call("sql primary", 650)])
    assert_nil found.sampled
    assert_equal ["sql", "primary", 65.0], [found.called.system, found.called.target, found.called.each]
  end

  def test_one_call_explains_nothing
    assert_nil place(ORDERS, calls: [call("sql primary", 10)])
    assert_nil place(ORDERS)
  end
end
