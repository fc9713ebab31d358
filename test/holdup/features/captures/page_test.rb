# frozen_string_literal: true

require "test_helper"
require "cgi/escape"
require "holdup/loader"

class Holdup::Captures::PageTest < Minitest::Test
  include DashboardCaptures

  def test_without_one_the_page_says_how_to_take_one
    %w[en ja].each do |language|
      get "/captures", {"lang" => language}
      assert_equal 200, last_response.status
      assert_includes text, "holdup capture"
    end
    @app = dashboard
    get "/captures"
    assert_equal 200, last_response.status
  end

  def test_the_newest_first_with_a_link_to_each
    ids = [keep(second: 1), keep(second: 2)]
    get "/captures"
    assert_equal ids.reverse, markup.scan(/capture\?id=([^"&]+)/).flatten
    assert_match(/pid 7 .* 200 ms/, text)
  end

  def test_lists_a_broken_capture_as_broken
    File.write(File.join(folder, "20261121T120000Z-9.holdup-capture"), "no capture")
    get "/captures"
    assert_includes CGI.unescapeHTML(text), "can't be read"
    %w[/capture?id=20261121T120000Z-9 /captures/20261121T120000Z-9/columns].each do |address|
      get address
      assert_equal 400, last_response.status
      assert_includes CGI.unescapeHTML(text), "the capture can't be read (DamagedData)"
    end
  end
end
