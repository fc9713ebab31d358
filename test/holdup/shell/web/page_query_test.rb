# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Web::PageQueryTest < Minitest::Test
  NOW_S = 1_790_000_000
  # Values of each parameter at which a page must say what it takes instead of showing something else.
  REFUSED = {
    "since" => ["tomorrow", "1y", "2026-13-01", "--1h"],
    "until" => ["tomorrow", "2026-02-30"],
    "kind" => ["Request", "unit", "jobs"],
    "threads" => ["0", "-1", "10001", "5.0", "0x5", "many"],
    "limit" => ["0", "10001", "1e3"],
    "least" => ["0", "1000000001", " "]
  }.freeze

  def query(now_s: NOW_S, **params)
    Holdup::Web::PageQuery.new(params.transform_keys(&:to_s), now_s:)
  end

  def refusal(**params)
    assert_raises(Holdup::UsageError, params.inspect) { query(**params) }
  end

  def test_shows_the_last_hour_of_everything_by_default
    found = query

    assert_equal NOW_S - 3600, found.from_s
    assert_equal NOW_S, found.until_s
    assert_equal 50, found.limit
    assert_equal 1, found.least
    assert_nil found.kind
    assert_nil found.threads
    assert_predicate found, :live?
  end

  def test_knows_whether_it_is_an_offered_span
    assert query.last?("1h"), "the default"
    assert query(since: "6h").last?("6h")
    refute query(since: "6h").last?("1h")
    refute query(since: "6h", until: "1h").last?("6h"), "it ended an hour ago"
  end

  def test_the_offered_spans_are_as_long_as_they_say
    Holdup::Web::PageQuery::SPANS.each do |text, seconds|
      found = query(since: text)
      assert_equal seconds, found.until_s - found.from_s, text
    end
  end

  def test_a_form_sends_empty_fields_which_mean_the_default
    found = query(since: "", until: "", kind: "", threads: "", limit: "", name: "")

    assert_equal query.from_s, found.from_s
    assert_predicate found, :live?
    assert_equal query.filter, found.filter
    assert_empty found.kept
    assert_empty found.all
  end

  def test_a_span_that_ended_is_not_live
    found = query(since: "2h", until: "1h")

    assert_equal NOW_S - 7200, found.from_s
    assert_equal NOW_S - 3600, found.until_s
    refute_predicate found, :live?
  end

  # "now" is written in the address: the page would show another span each time, but the reader asked for it.
  def test_an_end_that_is_given_as_now_is_not_live
    refute_predicate query(until: "now"), :live?
    assert_equal NOW_S, query(until: "now").until_s
  end

  def test_refuses_a_span_that_is_empty_or_backwards
    [{since: "1h", until: "1h"}, {since: "1h", until: "2h"}, {since: "now"}].each do |params|
      assert_match(/since is not before until; .*swap/, refusal(**params).message, params.inspect)
    end
    assert_equal 1, query(since: "1s").then { |found| found.until_s - found.from_s }
  end

  def test_refuses_each_wrong_value_with_its_parameter_and_its_text
    REFUSED.each do |name, values|
      values.each do |value|
        error = refusal("#{name}": value)
        assert_includes error.message, "#{name} can't be #{value.inspect}"
      end
    end
  end

  def test_takes_the_bounds_of_each_number
    assert_equal [1, 10_000], %w[1 10000].map { |text| query(limit: text).limit }
    assert_equal [1, 10_000], %w[1 10000].map { |text| query(threads: text).threads }
    assert_equal [1, 1_000_000_000], %w[1 1000000000].map { |text| query(least: text).least }
  end

  def test_kinds_are_symbols
    assert_equal :request, query(kind: "request").kind
    assert_equal :job, query(kind: "job").kind
  end

  # ?name[]=a and ?name[b]=c arrive as an Array and a Hash.
  def test_refuses_values_that_are_not_text
    [["a"], {"b" => "c"}, nil].each do |value|
      assert_match(/\A"name" is not readable; give it once/, refusal(name: value).message)
    end
  end

  def test_refuses_text_that_no_store_can_have
    longest = Holdup::Web::PageQuery::LENGTH
    ["x" * (longest + 1), "\xFF", "a\0b"].each do |value|
      assert_match(/"name" is too long or is not text; shorten it/, refusal(name: value).message)
    end
    assert_equal "x" * longest, query(name: "x" * longest)["name"]
    assert_equal "あ" * longest, query(name: "あ" * longest)["name"], "characters count, not bytes"
  end

  # The address comes from anyone, and the page shows the message.
  def test_a_message_does_not_repeat_a_long_parameter_name
    name = "n" * 5000
    error = assert_raises(Holdup::UsageError) { Holdup::Web::PageQuery.new({name => []}, now_s: NOW_S) }
    assert_operator error.message.size, :<, 200
  end

  def matches?(pattern, name)
    series = Holdup::Series.new(kind: :request, name:)
    query(name: pattern).filter.series?(series)
  end

  def test_finds_a_name_by_any_part_of_it
    ["Orders", "#index", "OrdersController#index", "Controller"].each do |part|
      assert matches?(part, "OrdersController#index"), part
    end
    refute matches?("Carts", "OrdersController#index")
  end

  def test_a_star_matches_anything_and_then_the_ends_count
    assert matches?("Orders*", "OrdersController#index")
    assert matches?("*#index", "OrdersController#index")
    refute matches?("orders*#", "OrdersController#index")
    refute matches?("Controller*", "OrdersController#index")
  end

  def test_other_glob_characters_are_themselves
    ["GET /[id]", "GET /{a,b}", "GET /a?b", "back\\slash"].each do |name|
      assert matches?(name, name), name
    end
    refute matches?("GET /[id]", "GET /i")
    refute matches?("GET /{a,b}", "GET /a")
    refute matches?("a?b", "axb")
  end

  def test_the_filter_has_what_the_page_sets_itself
    found = query(name: "A", queue: "low", kind: "job").filter(name: "exactly", queue: nil)

    assert_equal "exactly", found.name
    assert_nil found.queue
    assert_equal :job, found.kind
  end

  def test_links_keep_the_question_but_not_the_order_of_a_table
    params = {since: "2h", until: "1h", app: "shop", kind: "job", name: "A", queue: "low", threads: "5",
              lang: "ja", theme: "dark", sort: "p95", dir: "asc", limit: "9", least: "2", unit: "A#b"}
    found = query(**params)

    assert_equal params.keys.map(&:to_s).first(9).sort, found.kept.keys.sort
    assert_equal "ja", found.kept["lang"]
    assert_equal params.transform_keys(&:to_s), found.all
  end

  def test_one_address_is_one_question_whenever_it_is_asked_within_a_fixed_span
    address = {since: "2026-09-21T12:00:00Z", until: "2026-09-21T13:00:00Z"}
    one, other = [0, 5000].map { |later_s| query(now_s: NOW_S + later_s, **address) }

    assert_equal one.from_s, other.from_s
    assert_equal one.until_s, other.until_s
    assert_equal 3600, one.until_s - one.from_s
  end
end
