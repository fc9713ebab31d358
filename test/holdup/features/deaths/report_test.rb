# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_deaths"

class Holdup::Deaths::ReportTest < Minitest::Test
  include ExampleDeaths

  SPAN = {from_s: NOW_NS / NS - 86_400, to_s: NOW_NS / NS + 1}.freeze

  def words = Holdup::View::Words.new("en")

  def text(*deaths, **options)
    Holdup::View::Text.new(Holdup::Deaths::Report.new(deaths, **SPAN, words:, **options).page).call
  end

  def test_a_line_for_each_death_the_latest_first
    shown = text(death(ago_s: 600, pid: 12), hogged_death)
    assert_match(/^2 processes died: 1 out of memory, 1 unknown\.$/, shown)
    assert_operator shown.index("puma 4711"), :<, shown.index("puma 12")
    assert_match(/out of memory +ReportsController#sales/, shown)
  end

  def test_says_what_it_leaves_out
    shown = text(*[3, 2, 1].map { |pid| death(pid:, ago_s: pid) }, limit: 2)
    assert_match(/and 1 more/, shown)
    refute_includes shown, "puma 3"
  end

  def test_nothing_died
    assert_includes text, "No process died."
  end

  def test_json_has_everything
    json = JSON.parse(Holdup::Deaths::Report::Json.new([hogged_death], **SPAN, words:).call)
    one = json.fetch("deaths").first
    assert_equal ["web-1", 4711, "oom", 9, 2, "abcdef123456"],
      one.values_at("host", "pid", "reason", "status", "in_flight_unknown", "setting")
    assert_equal [["ReportsController#sales", 42 * NS, true], ["OrdersController#index", 12 * NS, false]],
      one["in_flight"].map { |unit| unit.values_at("name", "elapsed_ns", "holds_gvl") }
    assert_equal [400 << 20, 900 << 20], one["memory"].map { |sample| sample["rss_bytes"] }
    assert_equal ["OrdersController#show", NS / 5], one["ended"].first.values_at("name", "wall_ns")
  end

  def test_json_leaves_out_a_line_that_is_not_known
    process = open_process(open_unit("A#x", place: "lib/a.rb:0 A#x"))
    json = JSON.parse(Holdup::Deaths::Report::Json.new([death(process)], **SPAN, words:).call)
    assert_equal "lib/a.rb A#x", json.dig("deaths", 0, "in_flight", 0, "place")
  end

  def test_names_a_culprit
    shares = {"ReportsController#sales" => 0.1, "OrdersController#index" => 1.0}
    deaths = [3, 2, 1].map { |number| death(hogged, ago_s: number * 900, pid: number, shares:) }
    sentence = "ReportsController#sales was in flight in 3 of 3 deaths; by chance it would be in 0.3."
    assert_includes text(*deaths).tr("\n", " "), sentence
    json = JSON.parse(Holdup::Deaths::Report::Json.new(deaths, **SPAN, words:).call)
    found = json.fetch("culprits").first
    assert_equal ["ReportsController#sales", 3, 3], found.values_at("name", "deaths", "of")
    assert_in_delta 0.3, found["expected"], 0.001
  end
end
