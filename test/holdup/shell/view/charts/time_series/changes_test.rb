# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::View::Charts::TimeSeries::ChangesTest < Minitest::Test
  include Dashboard

  LATER_S = 600

  def app
    @app ||= begin
      store = sample_store
      later = SampleWindows.new(setting: SampleWindows::SETTING.merge("revision" => "<b>#{"x" * 300}",
        "threads" => 3)).to_a
      store.commit(later.map { |window| window.with(start_s: window.start_s + LATER_S) }, {})
      dashboard(store:, clock: CommandLine::Still.new(now_s: sample.to_s + LATER_S))
    end
  end

  def test_what_changed_when_in_the_table_and_in_charts
    get "/", {"since" => "30m"}
    assert_includes text, "What changed when since server what"
    assert_match(/deployed: revision - -&gt; &lt;b&gt;x+.*, threads 5 -&gt; 3/, text)
    %w[/series/overview /series/endpoint].each do |path|
      get path, {"since" => "30m", "unit" => "OrdersController#index"}
      marks = JSON.parse(last_response.body).fetch("rate").fetch("marks")
      assert_equal [SampleWindows::START_S + LATER_S], marks.map { |mark| mark["at"] }
      assert_operator marks.first["label"].size, :<=, 60
    end
  end

  # Without a script too.
  def test_each_leads_to_the_comparison_around_it
    get "/", {"since" => "30m"}
    asked = URI.decode_www_form(CGI.unescapeHTML(markup[%r{href="/compare\?([^"]*base_since[^"]*)"}, 1])).to_h
    at = Time.at(SampleWindows::START_S + LATER_S).utc.iso8601
    assert_equal [at, at], asked.values_at("base_until", "since")
    assert_operator asked["base_since"], :<, at
    assert_operator asked["until"], :>, at
  end

  def test_in_files
    get "/overview.json", {"since" => "30m"}
    assert_equal [true, %w[revision threads]],
      JSON.parse(last_response.body)["marks"].first.then { |mark|
        [mark["deployed"],
          mark["changed"].map { |one| one["subject"] }]
      }
  end

  def test_where_nothing_changed
    get "/", {"since" => "5m"}
    refute_includes text, "What changed when"
  end
end
