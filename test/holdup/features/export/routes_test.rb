# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::RoutesTest < Minitest::Test
  include Dashboard

  def test_serves_what_the_collector_left_for_prometheus
    Dir.mktmpdir do |dir|
      @app = Holdup::Web.new(store: -> { flunk "no store is needed" }, dir:, auth: :none)
      File.open(File.join(dir, Holdup::Segment::Directory::LOCK), File::RDWR | File::CREAT) do |lock|
        lock.flock(File::LOCK_EX)
        Holdup::Export::Exporters::MetricsFile.new(dir).write("a 1\n")
        get "/metrics"
        assert_equal [200, "a 1\n"], [last_response.status, last_response.body]
        assert_equal "text/plain; version=0.0.4; charset=utf-8", last_response.headers["content-type"]
      end
      get "/metrics"
      assert_equal 503, last_response.status
      assert_match(/\ANo collector of this host provides figures for Prometheus. Set/, last_response.body)
    end
  end

  def test_figures_for_prometheus_are_behind_the_access_control
    @app = dashboard(auth: {username: "prometheus", password: "secret"})
    get "/metrics"
    assert_equal 401, last_response.status
    basic_authorize "prometheus", "secret"
    get "/metrics"
    assert_equal 503, last_response.status
    post "/metrics"
    assert_equal 405, last_response.status
  end
end
