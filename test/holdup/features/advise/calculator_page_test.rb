# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Web::CalculatorTest < Minitest::Test
  include Dashboard

  def charts
    last_response.body.scan(/data-chart="([^"]*)"/).map { |(found)| JSON.parse(CGI.unescapeHTML(found)) }
  end

  def test_the_graph_says_what_the_table_says
    get "/calculator", {"io" => "75%"}
    speed_up, held, stall = charts
    assert_equal [3, 1, 1], [speed_up, held, stall].map { |chart| chart["series"].size }
    get "/calculator.json", {"io" => "75%"}
    document = JSON.parse(last_response.body)["threads"]
    assert_equal document.map { |line| line["threads"] }, speed_up["x"]["values"]
    assert_equal(document.map { |line| line["speed_up"] },
      speed_up["series"].first["values"].map { |value| value.round(4) })
    assert_equal(document.map { |line| line["stall_share"] },
      stall["series"].first["values"].map { |value| value.round(4) })
  end

  def test_stall_is_in_time_where_times_are_known
    get "/calculator", {"running" => "12ms", "idle" => "30ms"}
    assert_equal %w[rate share ns], charts.map { |chart| chart["unit"] }
  end

  def test_sliders_say_how_far_they_go_and_what_belongs_together
    get "/calculator"
    range = /data-min="([\d.]+)" data-max="(\d+)"/
    field = /<input name="(\w+)"[^>]*#{range} data-unit="([^"]*)" data-group="(\w+)"/
    expected = [
      %w[io 0 99 % share],
      %w[running 0.1 1000 ms times],
      %w[idle 0.1 1000 ms times],
      ["acquisitions", "1", "200", "", "times"]
    ]
    assert_equal expected, last_response.body.scan(field)
  end

  def test_it_opens_with_the_mean_request_of_the_span
    get "/calculator"
    assert_match(/An average request of the chosen span \(2220 requests\) holds the GVL for/, text)
    units = sample.to_a.select { |window| window.series.unit? }
    held_ms = units.sum { |window| window.histograms[:running].sum }.fdiv(units.sum(&:count)) / 1_000_000
    assert_in_delta held_ms, markup[/name="running" value="([\d.]+)ms"/, 1].to_f, 0.01
    assert_empty markup[/name="io" value="([^"]*)"/, 1]
    assert_equal %w[rate share ns], charts.map { |chart| chart["unit"] }
  end

  def test_without_data_it_opens_with_an_example
    @app = dashboard(store: Holdup::Store.open("memory:"))
    get "/calculator"
    assert_equal "45%", markup[/name="io" value="([^"]*)"/, 1]
  end
end
