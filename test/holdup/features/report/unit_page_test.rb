# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/sampled_methods"

class Holdup::Report::UnitPageTest < Minitest::Test
  include Dashboard

  ORDERS = "OrdersController#index"
  SENTENCE = /\AThey waited for ReportsController#sales \(SalesReport#rows, sales_report\.rb:41\): it held /

  # With samples of the holder, which is another one than the page's.
  def sample
    @sample ||= SampleWindows.new.tap do |sample|
      methods = [sample.window("ReportsController#sales", kind: :method, count: 1,
        queue: "app/models/sales_report.rb:41 SalesReport#rows", sums: {caused_ns: 9})]
      sample.define_singleton_method(:stored) { [*super(), *methods] }
    end
  end

  def test_begins_with_whom_its_requests_waited_for
    get "/endpoint", {"unit" => ORDERS, "kind" => "request"}
    lead = markup[%r{<p class="lead[^"]*">(.*?)</p>}m, 1].gsub(/<[^>]+>/, "").strip
    assert_match(SENTENCE, lead)
  end

  # As an earlier version stored it.
  def test_says_in_one_line_that_nothing_recorded_who_stalled_it
    @sample = SampleWindows.new
    @sample.define_singleton_method(:stored) { to_a }
    get "/endpoint", {"unit" => ORDERS, "kind" => "request"}
    assert_match(/What makes it wait Not recorded: these processes ran with a Holdup that did not measure/,
      text)
    refute_includes text, "What it makes wait"
  end

  # Another trouble comes first; whom they waited for comes next.
  def test_says_it_after_a_verdict_about_something_else
    shape = {acquisitions: 4, units: 100}
    units = {ORDERS => {ms: {cpu: 10, stalled: 9, lock: 60}, blame: 1, **shape},
             "ReportsController#sales" => {ms: {cpu: 50, stalled: 1}, blame: 9, **shape}}
    @sample = SampleWindows.new(units:)
    get "/endpoint", {"unit" => ORDERS, "kind" => "request"}
    sentence = /In \d\d % of the time that they waited for the GVL, ReportsController#sales held/
    assert_match(/waiting for locks.*?#{sentence}/m, text)
  end
end
