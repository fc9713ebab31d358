# frozen_string_literal: true

require "test_helper"
require "puma/const"

# `bin/rails server`, where nothing but the Gemfile names Holdup: Rails loads the application before Puma's
# launcher.
class RailsServerTest < Minitest::Test
  BOOT = File.join(ServedApp::ROOT, "lib/holdup/agent/exec_boot")
  COMMAND = "exec bundle exec ruby -W:deprecated bin/rails server -b 127.0.0.1 -p $PORT " \
    '-P "$TMP/server.pid" -e production'

  def assert_known(**env)
    Dir.mktmpdir do |folder|
      ServedApp.serve("sh", "-c", COMMAND, app: "rails",
        env: {"TMP" => folder, **env.transform_keys(&:to_s)}) do |app|
        2.times { app.get("/orders") }
        app.wait { app.counts == {"OrdersController#index" => 2} }
        app.wait { app.live.first.read(&:header).pools.first&.fetch(:busy) }
        assert_equal ["puma", Puma::Const::VERSION, 0, 5],
          app.snapshots.first.setting.attributes.values_at("server", "server_version", "workers", "threads")
        assert_equal "web", app.live.first.read(&:profile)["pool.0"]
        app.stop(:INT)
        assert_equal 1, app.snapshots.size
      end
    end
  end

  def test_puma_knows_what_it_is
    assert_known(WITH_HOLDUP: "1")
  end

  def test_recognises_puma_when_gems_have_loaded_other_servers
    assert_known(WITH_HOLDUP: "1", WITH_COMMANDS: "1", EAGER_LOAD: "1")
  end

  def test_under_holdup_exec
    assert_known(RUBYOPT: "#{ENV["RUBYOPT"]} -r#{BOOT}")
  end
end
