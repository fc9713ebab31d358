# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/sampled_methods"

class Holdup::View::MainWaitTest < Minitest::Test
  include SampledMethods

  ORDERS = "OrdersController#index"

  def waits(language = "en", link: nil, sample: SAMPLE, by: :name, **parts)
    @summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s, by:,
      pairs: sample.pairs, **parts)
    Holdup::View::MainWait.new(@summary, words: Holdup::View::Words.new(language), link:)
  end

  def row(name = ORDERS) = @summary.rows.find { |row| row.name == name }

  def test_names_the_holder_and_what_it_does
    assert_match(/\Awaits 7\d % for ReportsController#sales \(SalesReport#rows, sales_report\.rb:41\)\z/,
      waits(holding_methods: sampled_methods).remark(row))
    assert_match(/\Awaits 7\d % for itself \(SalesReport#rows, sales_report\.rb:41\)\z/,
      waits(holding_methods: sampled_methods).remark(row(SALES)))
  end

  def test_method_and_line_have_the_comma_of_the_language
    assert_match(/\AGVL 待ちの 7\d % は ReportsController#sales（SalesReport#rows、sales_report\.rb:41）\z/,
      waits("ja", holding_methods: sampled_methods).remark(row))
  end

  def test_names_the_calls_of_a_holder_without_samples
    calls = [SAMPLE.window(SALES, kind: :call, queue: "sql primary", count: 240 * 82,
      histograms: {wall: Holdup::Histogram.of([MS])})]
    assert_match(/ for ReportsController#sales \(82 calls in each: SQL primary\)\z/,
      waits(calls:).remark(row))
    assert_match(/\AGVL 待ちの 7\d % は ReportsController#sales（SQL primary の呼び出しが 1 件あたり 82 回）\z/,
      waits("ja", calls:).remark(row))
  end

  def test_names_nothing_else_where_nothing_is_known_of_the_holder
    assert_match(/\Awaits 7\d % for ReportsController#sales\z/, waits.remark(row))
    assert_match(/\AIn 7\d % of the time that they waited for the GVL, ReportsController#sales held it\.\z/,
      waits.sentence(row))
  end

  def test_leads_to_the_page_of_the_holder
    link = lambda do |party|
      Holdup::View::Blocks::Link.new(text: "", page: "endpoint", params: {"unit" => party.name})
    end
    found = waits(link:).remark(row)
    assert_equal ["endpoint", {"unit" => SALES}], [found.page, found.params]
    assert_match(/\Awaits 7\d % for ReportsController#sales\z/, found.text)
  end

  def test_a_thread_has_no_page
    units = {"A#b" => {ms: {cpu: 1, stalled: 8}, acquisitions: 4, units: 100, blame: 0}}
    found = waits(link: ->(_) { flunk }, sample: SampleWindows.new(units:, accounts: {"thread:cron" => 0.1}),
      holding_methods: sampled_methods)
    assert_match(/\Awaits 9\d % for \(thread\) cron \(Cron#run, cron\.rb:3\)\z/, found.remark(row("A#b")))
  end

  def test_says_nothing_without_one_holder_or_without_stall
    shape = {acquisitions: 4, units: 100, blame: 1}
    many = %w[A B C D].to_h { |name| [name, {ms: {cpu: 10, stalled: 8}, **shape}] }
    assert_nil waits(sample: SampleWindows.new(units: many)).remark(row("A"))
    calm = {"A" => {ms: {cpu: 900, stalled: 1}, **shape}}
    assert_nil waits(sample: SampleWindows.new(units: calm)).remark(row("A"))
    assert_nil waits(pairs: []).remark(row)
    assert_nil waits(by: :host).remark(@summary.rows.first)
  end
end
