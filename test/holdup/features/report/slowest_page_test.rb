# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::SlowestPageTest < Minitest::Test
  include Dashboard

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 2))

  def app
    @app ||= begin
      store = Holdup::Store.open("memory:").tap { |empty| PLAYED.fill(empty) }
      dashboard(store:, clock: CommandLine::Still.new(now_s: PLAYED.to_s))
    end
  end

  def test_all_names_of_the_span_and_those_of_a_filter
    get "/slowest", {"since" => "10m"}
    assert_operator markup.scan("<tr>").size, :>, 20
    get "/slowest", {"since" => "10m", "name" => "Orders*", "limit" => "3"}
    assert_equal 4, markup.scan("<tr>").size
    refute_includes text, "QuotesController"
  end

  def test_an_empty_span_says_so
    get "/slowest", {"since" => "2020-01-01T00:00:00Z", "until" => "2020-01-01T00:01:00Z"}
    assert_equal 200, last_response.status
    assert_includes text, "no single requests or jobs"
  end

  def test_as_files
    get "/slowest.csv", {"since" => "10m", "limit" => "2"}
    assert_equal 200, last_response.status
    assert_includes last_response.body, "name,started"
  end
end
