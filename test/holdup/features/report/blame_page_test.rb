# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::BlamePageTest < Minitest::Test
  include Dashboard

  UNKNOWN = "the bounds of all pairs are so wide that an estimate would only repeat the share that each " \
    "caused of all stall"

  # Ten endpoints that stall alike, one of which causes more than any of them stalls.
  def alike
    units = ("A".."J").to_h { |name|
      [name, {ms: {cpu: 10, stalled: 10}, acquisitions: 6, units: 50, blame: (name == "A") ? 38 : 7}]
    }
    @sample = SampleWindows.new(units:, accounts: {})
  end

  def test_pairs_of_which_nothing_is_known_are_one_line
    alike
    get "/blame"
    assert_includes text, UNKNOWN
    refute_includes text, "A -> B"
    refute_includes text, "Caused (columns) against suffered (rows)"
  end

  def test_the_same_on_the_page_of_one_endpoint
    alike
    get "/endpoint", {"unit" => "B", "kind" => "request"}
    assert_includes text[/What stalls it.*/], UNKNOWN
    assert_includes text[/What it stalls.*/], UNKNOWN
  end

  def test_pairs_that_are_known_have_their_table
    get "/blame"
    assert_includes text, "ReportsController#sales -&gt; OrdersController#index"
    refute_includes text, UNKNOWN
  end
end
