# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Captures::RoutesTest < Minitest::Test
  include DashboardCaptures

  def test_files_for_other_viewers
    id = keep
    %w[columns packed firefox perfetto speedscope json].each do |format|
      get "/captures/#{id}/#{format}"
      assert_equal 200, last_response.status, format
    end
    assert_equal 200 * MS, JSON.parse(last_response.body)["length_ns"]
    get "/captures/#{id}/packed"
    assert_equal File.binread(archive.files.first), last_response.body.b
    assert_equal %(attachment; filename="#{id}.holdup-capture"), last_response.headers["content-disposition"]
    get "/captures/#{id}/perfetto"
    assert_equal ["application/octet-stream", %(attachment; filename="#{id}-perfetto.pftrace")],
      last_response.headers.values_at("content-type", "content-disposition")
    assert_includes PerfettoTrace.new(last_response.body).tracks, "GVL holder"
    get "/captures/#{id}/columns", {}, {"HTTP_ACCEPT_ENCODING" => "gzip, br"}
    assert_equal ["gzip", 1],
      [last_response.headers["content-encoding"], Zlib.gunzip(last_response.body).unpack1("L<")]
    get "/capture.json", {"id" => id}
    assert_equal 1, JSON.parse(last_response.body)["schema"]
  end

  def test_rejects_ids_of_captures_that_are_not_kept
    keep
    random = Random.new(3)
    names = ["", "..", "../secret", "/etc/passwd", "..%2f..%2fetc%2fpasswd", "*",
      "20261121T120000Z-7.holdup-capture", "\u{1F4A9}", "a" * 900, "[", "{a,b}", "\\"]
    names += Array.new(60) { random.bytes(random.rand(1..20)) }
    names.each do |name|
      assert_includes 400..499, answer("/capture", URI.encode_www_form("id" => name)), name.inspect
      next if name.empty? || name.match?(%r{[/\0]})
      assert_includes 400..499, answer("/captures/#{name.b}/columns", ""), name.inspect
    end
    assert_equal 404, answer("/captures/#{keep(second: 5)}/exe", "")
  end

  def test_refuses_a_capture_unless_it_is_allowed
    post "/captures", {"pid" => "1"}, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
    assert_equal 405, last_response.status
    get "/captures"
    refute_includes markup, "<form"
  end

  def test_the_answer_says_when_the_capture_comes
    SegmentWriter.new(folder, worker: 3)
    @app = dashboard(captures: -> { folder }, dir: folder, orders: true)
    get "/captures"
    assert_includes markup, %(<option value="#{Process.pid}">worker 3 (pid #{Process.pid})</option>)
    post "/captures", {"pid" => Process.pid.to_s}, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
    assert_equal [303, "/captures?asked=#{Process.pid}"],
      [last_response.status, last_response.headers["location"]]
    get last_response.headers["location"]
    assert_includes text, "Process #{Process.pid} was asked."
  end

  def test_where_it_is_allowed_only_by_a_page_of_ours
    @app = dashboard(captures: -> { folder }, orders: true)
    {
      {"HTTP_SEC_FETCH_SITE" => "cross-site"} => 403,
      {"HTTP_ORIGIN" => "http://elsewhere.example"} => 403,
      {"HTTP_ORIGIN" => "null"} => 403,
      {"HTTP_SEC_FETCH_SITE" => "same-origin"} => 503,
      {"HTTP_ORIGIN" => "http://example.org"} => 503
    }.each do |headers, status|
      post "/captures", {"pid" => "1"}, headers
      assert_equal status, last_response.status, headers.inspect
    end
    assert_includes text, "process 1 measures nothing here"
    ["x", "-1", nil].each do |pid|
      post "/captures", {"pid" => pid}.compact, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
      assert_equal 400, last_response.status
    end
    post "/", {}, {"HTTP_SEC_FETCH_SITE" => "same-origin"}
    assert_equal 405, last_response.status
    get "/captures"
    assert_includes text, "This host has no measured process now."
  end
end
