# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Scaling::RoutesTest < Minitest::Test
  include Dashboard

  def test_serves_the_signal_that_the_collector_left_for_autoscalers
    Dir.mktmpdir do |dir|
      @app = Holdup::Web.new(store: -> { flunk "no store is needed" }, dir:, auth: :none)
      File.open(File.join(dir, Holdup::Segment::Directory::LOCK), File::RDWR | File::CREAT) do |lock|
        lock.flock(File::LOCK_EX)
        path = File.join(dir, Holdup::Scaling::ScalingSignal::FILE)
        File.write(path, "{}")
        get "/scale.json"
        assert_equal [200, "{}"], [last_response.status, last_response.body]
        assert_equal "application/json; charset=utf-8", last_response.headers["content-type"]
        old = Time.now - 100
        File.utime(old, old, File.join(dir, Holdup::Segment::Directory::LOCK))
        File.utime(old, old, path)
        get "/scale.json"
        assert_equal 503, last_response.status
        assert_match(/\ANo collector of this host provides a signal for autoscalers. Set/, last_response.body)
      end
    end
  end
end
