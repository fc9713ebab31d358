# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

# What scripts ask for: figures of charts, and which pages stay fresh.
class Holdup::Web::SeriesTest < Minitest::Test
  include Dashboard

  CHARTED = ["/", "/processes", "/endpoint?unit=OrdersController%23index&kind=request"].freeze

  def test_each_chart_of_a_page_has_its_series_and_its_table
    CHARTED.each do |path|
      get path
      places = last_response.body.scan(/data-series="([^"]+)"/).flatten.map { |place|
        CGI.unescapeHTML(place)
      }
      refute_empty places, path
      assert_match(/<details class="twin">.*<table>/m, last_response.body)
      get places.first.split("#").first
      assert_equal [200, "application/json; charset=utf-8"],
        [last_response.status, last_response.headers["content-type"]]
      assert_equal JSON.parse(last_response.body).keys, places.map { |place| place.split("#").last }
    end
  end

  def test_one_endpoint_has_the_spread_of_each_of_its_times
    get "/series/endpoint", {"unit" => "OrdersController#index", "kind" => "request"}
    heats = JSON.parse(last_response.body).select { |_, chart| chart["kind"] == "heat" }
    assert_equal %w[heat_wall heat_queued heat_stalled heat_running heat_idle], heats.keys
    assert_equal [300], heats.values.map { |chart| chart["heat"]["counts"].flatten.sum }.uniq
  end

  # Each minute of the sample came in six equal rounds.
  def store_with_rounds
    sample_store.tap do |store|
      sample.to_a.select { |window| window.series.unit? }.group_by(&:start_s).each do |start_s, windows|
        6.times { |at| store.commit([], {}, recent: recent(start_s + at * 10, windows)) }
      end
    end
  end

  def recent(start_s, windows)
    named = windows.map do |window|
      Holdup::RecentFigures.sum([window], window.series).with(start_s:, seconds: 10)
    end
    Holdup::RecentFigures.new(host: "web-1", start_s:, length_ms: 10_000, series: named, others: {}, held: {},
      waited:, total: Holdup::RecentFigures.sum(named, Holdup::RecentFigures::ALL))
  end

  def waited
    sales = Holdup::RecentFigures::HolderTime.new(kind: :request, waited_ns: 15_000_000_000, held: {})
    Holdup::RecentFigures::WaitedTime.new(ns: 25_000_000_000, nobody_ns: 1_000_000_000,
      holders: {"ReportsController#sales" => sales})
  end

  # Of the times of single states minutes are kept.
  def test_charts_of_the_last_hour_have_steps_of_ten_seconds
    @app = dashboard(store: store_with_rounds)
    get "/series/endpoint", {"unit" => "OrdersController#index", "kind" => "request"}
    steps = JSON.parse(last_response.body).transform_values do |chart|
      first, second = chart["x"]["values"]
      second - first
    end
    fine, coarse = steps.keys.partition { |name| steps[name] == 10 }
    assert_equal [60], steps.values_at(*coarse).uniq
    assert_equal %w[shares heat_wall rate wall waits], fine
    assert_equal %w[heat_queued heat_stalled heat_running heat_idle], coarse
  end

  # Those of chosen victims are not kept.
  def test_the_picture_of_the_last_hour_has_steps_of_ten_seconds
    @app = dashboard(store: store_with_rounds)
    get "/series/overview"
    waiting = JSON.parse(last_response.body).fetch("waiting")
    assert_equal 10, step(waiting)
    assert_equal [["Reports#sales", 1.5], ["(others)", 0.9], ["nobody (hand-off)", 0.1]],
      waiting["series"].map { |line| [line["label"], line["values"].first.round(6)] }
    get "/series/overview", {"name" => "Orders*"}
    assert_equal 60, step(JSON.parse(last_response.body).fetch("waiting"))
  end

  def step(chart) = chart["x"]["values"].first(2).reverse.reduce(:-)

  def test_series_are_of_what_the_page_is_about
    get "/", {"since" => "2m", "name" => "Orders*", "lang" => "ja"}
    assert_includes last_response.body,
      %(data-series="/series/overview?since=2m&amp;name=Orders*&amp;lang=ja#waiting")
    get "/series/overview", {"since" => "2m", "lang" => "ja"}
    assert_equal [sample.to_s - 120, sample.to_s - 60], JSON.parse(last_response.body)["rate"]["x"]["values"]
    assert_includes last_response.body, "毎秒"
  end

  def test_pages_without_charts_have_none
    %w[/series/health /series/nothing /series/ /series/overview.json].each do |path|
      get path
      assert_equal 404, last_response.status, path
    end
    get "/series/overview", {"since" => "x"}
    assert_equal 400, last_response.status
  end

  def test_names_of_others_are_text_in_series_too
    name = "</script><b>\u202e"
    hostile = sample.window("worker 0", kind: :process, queue: nil, count: 1,
      setting: Holdup::Setting.new(attributes: {"server" => name}))
    @app = dashboard(store: sample_store.tap { |store| store.commit([hostile], {}) })
    get "/series/overview"
    assert_equal [name], JSON.parse(last_response.body)["gvl"]["series"].map { |line| line["label"] }
    assert_equal ["application/json; charset=utf-8", "nosniff"],
      last_response.headers.values_at("content-type", "x-content-type-options")
  end

  def test_a_page_about_now_stays_fresh
    get "/"
    assert_match(/<p class="live" data-live="10"[^>]* hidden>/, last_response.body)
    get "/", {"until" => "1m"}
    refute_includes last_response.body, "data-live"
  end

  def test_moments_are_exact_for_scripts
    get "/"
    newest = Time.at(sample.to_s - 60)
    utc = newest.utc.strftime("%FT%TZ")
    assert_includes last_response.body,
      %(<time datetime="#{utc}">#{newest.localtime.strftime("%F %H:%M")}</time>)
    get "/health"
    assert_includes last_response.body,
      %(<time datetime="#{utc}" data-seconds>#{newest.localtime.strftime("%F %T")}</time>)
  end
end
