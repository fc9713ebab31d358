# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::PageBaseTest < Minitest::Test
  Blocks = Holdup::View::Blocks
  # Shows what a page may ask its base class for.
  class Example < Holdup::View::PageBase
    def blocks = [section(Holdup::Report::Sections::Times::LatencyTable)]

    def parts(_summary) = %i[coverage pairs]

    public :nothing, :part, :shown, :unit_link
  end

  def sample = @sample ||= SampleWindows.new

  def store(windows = sample.stored)
    Holdup::Store.open("memory:").tap { |store| store.commit(windows, {}) }
  end

  def page(stored = store, since: nil, **params)
    asked = {"since" => since || "1h", **params.transform_keys(&:to_s)}
    query = Holdup::Web::PageQuery.new(asked, now_s: sample.to_s)
    Example.new(context: nil, store: stored, query:, words: Holdup::View::Words.new)
  end

  def test_exports_its_figures_in_each_format
    assert_equal %w[json csv md], page.exports
    assert_equal SampleWindows::STOREFRONT.size, JSON.parse(page.export("json", "Title"))["series"].size
    assert_match(/^OrdersController#index,300,/, page.export("csv", "Title"))
    assert_match(/^# Title, .*\d\d:\d\d/, page.export("md", "Title"), "with its span")
  end

  # Programs do not read sentences.
  def test_an_export_of_what_nothing_matches_is_refused
    error = assert_raises(Holdup::UsageError) { page(name: "Nowhere").export("json", "Title") }
    assert_includes error.message, "Nowhere"
    assert_raises(Holdup::UsageError) { page(threads: 4).export("csv", "Title") }
    assert page(store([])).export("json", "Title"), "nothing was asked for"
  end

  def test_a_filter_without_a_match_says_what_there_is
    lead, notes = page(name: "orderscontroller").nothing
    assert_includes lead.text, '"orderscontroller"'
    assert_includes notes.texts.join, "OrdersController#index"
  end

  def test_an_empty_span_leads_to_the_last_recording
    late = Holdup::Web::PageQuery.new({"since" => "1h"}, now_s: sample.to_s + 86_400)
    link = Example.new(context: nil, store:, query: late, words: Holdup::View::Words.new).nothing
      .grep(Blocks::SpanLink).first
    assert_equal Time.at(sample.to_s).utc.strftime("%FT%TZ"), link.params["until"]
    assert_empty page(store([])).nothing.grep(Blocks::SpanLink), "there is none"
  end

  def test_charts_show_the_part_of_the_span_that_has_data
    short = page(since: "30d")
    from_s, to_s = short.shown
    assert_operator to_s - from_s, :<, 86_400
    assert_equal({"whole" => "yes"}, short.part.params)
    whole = page(since: "30d", whole: "yes")
    assert_equal 30 * 86_400, whole.shown.last - whole.shown.first
    assert_equal({"whole" => nil}, whole.part.params)
  end

  NamedRow = Data.define(:name, :kind, :queue)

  def test_a_name_leads_to_its_page_unless_it_is_too_long_for_an_address
    link = page.unit_link(NamedRow.new(name: "MailJob", kind: :job, queue: "low"))
    assert_equal "MailJob [low]", link.text
    assert_equal({"unit" => "MailJob", "kind" => "job", "in" => "low"}, link.params)
    assert_kind_of String, page.unit_link(NamedRow.new(name: "A" * 1001, kind: :job, queue: nil))
    refute_includes page.unit_link(NamedRow.new(name: "A#b", kind: :request, queue: nil)).params, "in"
  end
end
