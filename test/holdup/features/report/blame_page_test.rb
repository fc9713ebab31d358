# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::BlamePageTest < Minitest::Test
  include Dashboard

  UNRECORDED = "Not recorded: these processes ran with a Holdup that did not measure pairs"

  # As an earlier version stored them.
  def without_pairs
    @sample = SampleWindows.new
    def @sample.stored = to_a
  end

  def test_pairs_that_were_not_recorded_are_one_line
    without_pairs
    get "/blame"
    assert_includes text, UNRECORDED
    refute_includes text, "Who waited (rows)"
  end

  def test_pairs_have_their_table_and_a_matrix
    get "/blame"
    assert_match(/ReportsController#sales -&gt; OrdersController#index\s+7\d/, text)
    assert_match(/Who waited \(rows\) while whom held the GVL \(columns\).*nobody \(hand-off\)/m, text)
    refute_includes text, UNRECORDED
  end

  def test_the_strongest_of_many_endpoints_have_rows
    shape = SampleWindows::STOREFRONT.values.first.merge(units: 3)
    @sample = SampleWindows.new(units: Array.new(40) { |index| ["A#a#{index}", shape] }.to_h)
    get "/blame"
    assert_equal 20, rows("Who made others wait")
    assert_match(/20 more/, text)
    get "/blame", {"limit" => "30"}
    assert_equal 30, rows("Who made others wait")
  end

  # @return [Integer] of endpoints
  def rows(title)
    table = markup[/<h2[^>]*>#{title}.*?<\/table>/m] || markup[/<caption[^>]*>#{title}.*?<\/table>/m]
    table.scan(/>A#a\d+</).size
  end

  # The figure is there also for readers who see no colours.
  def test_figures_of_the_matrix_are_darker_for_a_larger_share
    get "/blame"
    assert_match(%r{<td class="heat-4">[\d.]+[[:space:]]m?s</td>}, markup)
    assert_match(%r{<th scope="row"><a href="/endpoint\?[^"]*unit=OrdersController}, markup)
    get "/blame.md"
    assert_match(/\| OrdersController\\#index \| [\d.]+ m?s \|/, last_response.body)
  end
end
