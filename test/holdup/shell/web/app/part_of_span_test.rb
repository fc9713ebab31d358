# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

# A span is often longer than what was recorded in it, or lies elsewhere.
class Holdup::Web::PartOfSpanTest < Minitest::Test
  include Dashboard

  HOUR = 3600
  CHARTED = ["overview", "processes", "endpoint?unit=OrdersController%23index&kind=request"].freeze
  PART = "The charts show"

  def sample = @sample ||= SampleWindows.new(minutes: 12)

  # @param later [Integer] seconds between the end of what was recorded and now
  def look(later)
    @app = dashboard(clock: CommandLine::Still.new(now_s: sample.to_s + later))
  end

  def steps(page)
    JSON.parse(get("/series/#{page}").body).values.map { |chart| chart["x"]["values"] }.uniq
  end

  def minutes = (sample.from_s...sample.to_s).step(60).to_a

  def link(label)
    CGI.unescapeHTML(last_response.body[%r{<a href="([^"]+)">#{label}</a>}, 1].to_s)
  end

  def test_twelve_minutes_of_a_day_are_drawn_by_the_minute
    look(10 * HOUR)
    assert_equal [minutes], steps("overview?since=24h")
    assert_equal [minutes], steps("endpoint?unit=OrdersController%23index&kind=request&since=24h")
  end

  def test_processes_have_all_their_samples_in_a_long_span
    look(10 * HOUR)
    long = JSON.parse(get("/series/processes?since=24h").body)
    since, till = [sample.from_s, sample.to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
    short = JSON.parse(get("/series/processes?since=#{since}&until=#{till}").body)
    assert_equal short["memory"], long["memory"]
  end

  CHARTED.each do |page|
    define_method(:"test_#{page[/\w+/]}_says_that_it_shows_a_part_and_leads_to_the_whole") do
      look(10 * HOUR)
      get "/#{page.delete_prefix("overview")}#{page.include?("?") ? "&" : "?"}since=24h"
      assert_includes text, PART
      whole = link("Show the whole span")
      get whole
      assert_match(/Only \d.{10,60} has data\./, text)
      assert_includes last_response.body, CGI.escapeHTML("whole=yes")
      get link("Show only that part")
      assert_includes text, PART
    end
  end

  def test_the_whole_span_is_drawn_where_it_is_asked_for
    look(10 * HOUR)
    drawn = steps("overview?since=24h&whole=yes").first
    assert_operator drawn.last - drawn.first, :>, 23 * HOUR
  end

  def test_shows_no_remark_when_the_span_is_covered
    look(0)
    get "/", {"since" => "12m"}
    refute_includes text, PART
    get "/", {"since" => "15m"}
    refute_includes text, PART, "three minutes may be on their way"
  end

  def test_an_empty_span_leads_to_the_last_data
    look(100 * HOUR)
    ["/", "/blame", "/requests", "/endpoint?unit=OrdersController%23index&kind=request"].each do |page|
      get page
      assert_includes text, "Last data:", page
      get link("Show it")
      assert_includes last_response.body, "<table>", page
      refute_includes text, PART, page
      refute_includes text, "Last data:", page
    end
  end

  def test_the_link_is_to_exactly_that_span
    look(100 * HOUR)
    get "/"
    asked = URI.decode_www_form(URI(link("Show it")).query).to_h
    assert_equal [sample.from_s, sample.to_s],
      asked.values_at("since", "until").map { |moment| Time.iso8601(moment).to_i }
  end

  def test_suggests_no_last_data_for_a_name_that_never_ran
    look(100 * HOUR)
    get "/", {"name" => "Nobody*"}
    refute_includes text, "Last data:"
  end

  def test_a_span_before_the_data_leads_there_too
    look(0)
    get "/", {"since" => "10h", "until" => "5h"}
    assert_includes text, "Last data:"
  end

  def test_in_japanese
    look(10 * HOUR)
    get "/", {"since" => "24h", "lang" => "ja"}
    assert_includes text, "この期間のうちデータのある"
    get "/", {"lang" => "ja"}
    assert_includes text, "最後のデータ："
  end
end
