# frozen_string_literal: true

require "test_helper"
require "json"
require "support/dashboard"
require "support/example_deaths"

class Holdup::Deaths::PageTest < Minitest::Test
  include Dashboard
  include ExampleDeaths

  def show(*deaths)
    @app = dashboard(store: store_with(*deaths), clock: CommandLine::Still.new(now_s: NOW_NS / NS + 120))
  end

  def test_lists_deaths_with_all_that_is_known
    show(hogged_death, death(ago_s: 600, pid: 12))
    get "/deaths"
    assert_equal 200, last_response.status
    assert_includes text, "2 processes died: 1 out of memory, 1 unknown."
    assert_includes text, "Death of puma 4711"
    assert_includes text, "ReportsController#sales holds the GVL for 41.2 s"
    assert_includes markup, %(href="/deaths)
  end

  def test_a_span_without_deaths
    show
    get "/deaths"
    assert_equal [200, true], [last_response.status, text.include?("No process died.")]
  end

  def test_charts_over_time_mark_deaths_and_lead_to_the_page
    died_ns = (sample.from_s + 70) * NS
    store = sample_store
    store.commit([], {}, deaths: [death.with(alive_ns: died_ns, gone_ns: died_ns + NS, source: "x")])
    @app = dashboard(store:)
    get "/"
    assert_match(%r{data-deaths="/deaths[?"]}, last_response.body)
    get "/series/overview"
    marks = JSON.parse(last_response.body).values.flat_map { |chart| chart["marks"].to_a }.compact
    found = marks.select { |mark| mark["page"] == "deaths" }
    assert_equal [[sample.from_s + 70, "puma 4711 died: unknown"]],
      found.map { |mark| mark.values_at("at", "label") }.uniq.select(&:last)
  end

  def test_csv
    show(hogged_death)
    get "/deaths.csv"
    assert_match(/^\S+,.*,puma 4711,.*out of memory.*ReportsController#sales/, last_response.body)
  end

  def test_json
    show(hogged_death)
    get "/deaths.json"
    assert_equal ["oom"], JSON.parse(last_response.body)["deaths"].map { |one| one["reason"] }
  end
end
