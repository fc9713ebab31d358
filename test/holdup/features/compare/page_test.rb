# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Web::CompareTest < Minitest::Test
  include Dashboard

  SHOP = {"A#fast" => {ms: {cpu: 4, stalled: 2, io: 6}, acquisitions: 6, units: 30, blame: 1},
          "B#slow" => {ms: {cpu: 40, stalled: 8, io: 60}, acquisitions: 9, units: 10, blame: 2}}.freeze
  HALF = SHOP.transform_values { |shape| shape.merge(ms: shape[:ms].merge(cpu: shape[:ms][:cpu] / 2)) }
  MINUTES = 12
  LATER_S = 3600

  def sample
    @sample ||= SampleWindows.new(units: SHOP, minutes: MINUTES)
  end

  def changed
    setting = SampleWindows::SETTING.merge("jit" => "none")
    windows = SampleWindows.new(units: HALF, minutes: MINUTES, seed: 2, setting:).to_a
    windows.map { |window| window.with(start_s: window.start_s + LATER_S) }
  end

  def app
    @app ||= begin
      store = sample_store
      store.commit(changed, {})
      dashboard(store:, clock: CommandLine::Still.new(now_s: sample.to_s + LATER_S))
    end
  end

  def test_the_last_two_settings
    get "/compare", {"since" => "2h"}
    assert_match(/Better: .*CPU per request or job -\d\d/, text)
    get "/compare.json", {"since" => "2h"}
    assert_equal 2, JSON.parse(last_response.body).values_at("before", "after").compact.size
  end

  # Each of them is a question that the page answers.
  def test_presets
    get "/compare", {"since" => "2h", "lang" => "en"}
    links = last_response.body.scan(%r{<a href="(/compare\?[^"]*)">([^<]*)</a>}).to_h(&:reverse)
    words = ["around the last change of a setting", "this hour and the one before"]
    assert_equal words, links.keys & words
    ["no deploy in the last 24 hours", "no two arms (HOLDUP_ARM, such as canary) in this span",
      "nothing recorded yesterday"].each { |missing| assert_includes text, missing }
    get CGI.unescapeHTML(links.fetch(words.first))
    assert_match(/Better: .*CPU per request or job -\d\d/, text)
    get CGI.unescapeHTML(links.fetch(words[1]))
    assert_equal 200, last_response.status
    get "/compare.md", {"since" => "2h"}
    refute_match(/this hour and the one before/, last_response.body)
  end

  def test_times_over_each_other
    get "/compare", {"since" => "2h"}
    charts = last_response.body.scan(/data-chart="([^"]*)"/).map { |(found)|
      JSON.parse(CGI.unescapeHTML(found))
    }
    assert_equal [2, 2], charts.map { |chart| chart["series"].size }
    charts.each { |chart| chart["series"].each { |line| assert_in_delta 1.0, line["values"].sum, 1e-4 } }
    assert charts.first["x"]["log"]
  end

  def test_an_earlier_span
    get "/compare", {"since" => "13m", "base_since" => "73m", "base_until" => "60m"}
    assert_match(/Better: .*CPU per request or job -\d\d/, text)
  end

  def test_two_that_are_chosen
    get "/compare", {"since" => "2h"}
    select = last_response.body[%r{<select name="before">.*?</select>}m]
    values = select.scan(/<option value="([^"]*)"/).flatten
    assert_equal 3, values.size
    get "/compare", {"since" => "2h", "before" => values.last, "after" => values[1]}
    assert_match(/Worse: .*CPU per request or job \+\d\d/, text)
    assert_includes last_response.body, %(<option value="#{values.last}" selected>)
    {
      "before=x" => "before and after belong together",
      "before=x&after=y" => %(nothing in this span is named "x"),
      "before=x&after=y&base_since=3h" => "can't be combined"
    }.each do |query, sentence|
      get "/compare?since=2h&#{query}"
      assert_equal 400, last_response.status
      assert_includes CGI.unescapeHTML(text), sentence
    end
  end

  # An arm is a label of some processes: several settings may have it.
  def test_two_arms
    arms = {"stable" => sample, "canary" => SampleWindows.new(units: HALF, minutes: MINUTES, seed: 2)}
    store = Holdup::Store.open("memory:")
    arms.each do |arm, windows|
      of_arm = windows.to_a.map do |window|
        attributes = {**window.setting.attributes, "arm" => arm}
        window.with(setting: Holdup::Setting.new(attributes:))
      end
      store.commit(of_arm, {})
    end
    @app = dashboard(store:, clock: CommandLine::Still.new(now_s: sample.to_s))
    get "/compare", {"since" => "13m", "before" => "arm:stable", "after" => "arm:canary"}
    assert_match(/Better: .*CPU per request or job -\d\d/, text)
    assert_includes last_response.body, %(<option value="arm:canary" selected>arm canary</option>)
    get "/compare.md", {"since" => "13m", "before" => "arm:stable", "after" => "arm:canary"}
    assert_includes last_response.body, "arm canary"
  end

  def test_files_of_nothing
    get "/compare", {"since" => "13m"}
    refute_includes last_response.body, " download"
    %w[json csv md].each do |ending|
      get "/compare.#{ending}", {"since" => "13m"}
      assert_equal [400, "text/html; charset=utf-8"],
        [last_response.status, last_response.headers["content-type"]]
      assert_includes text, "fewer than two things to compare"
    end
  end

  def test_nothing_to_compare_with
    get "/compare", {"since" => "13m"}
    assert_includes text, "fewer than two settings"
    {"base_until=1h" => "base_since is missing",
     "base_since=1h&base_until=2h" => "base_since is not before base_until"}.each do |query, sentence|
      get "/compare?#{query}"
      assert_equal 400, last_response.status
      assert_includes text, sentence
    end
  end
end
