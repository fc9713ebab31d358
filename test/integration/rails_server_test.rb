# frozen_string_literal: true

require "test_helper"
require "puma/const"

# `bin/rails server`, where nothing but the Gemfile names Holdup: Rails loads the application before Puma's launcher.
class RailsServerTest < Minitest::Test
  COMMAND = 'exec bundle exec ruby -W:deprecated bin/rails server -b 127.0.0.1 -p $PORT -P "$TMP/server.pid" -e production'

  def test_puma_knows_what_it_is
    Dir.mktmpdir do |folder|
      ServedApp.serve("sh", "-c", COMMAND, app: "rails", env: {"WITH_HOLDUP" => "1", "TMP" => folder}) do |app|
        2.times { app.get("/orders") }
        app.wait { app.counts == {"OrdersController#index" => 2} }
        app.wait { app.live.first.read(&:header).pools.first[:busy] }
        assert_equal ["puma", Puma::Const::VERSION, 0, 5], app.snapshots.last.setting.attributes.values_at("server", "server_version", "workers", "threads")
        assert_equal "web", app.live.first.read(&:profile)["pool.0"]
        app.stop(:INT)
        assert_equal 1, app.snapshots.size
      end
    end
  end
end
