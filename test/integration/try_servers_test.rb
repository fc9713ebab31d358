# frozen_string_literal: true

require "test_helper"
require "open3"

# What CI's job on a Mac runs with Puma and Sidekiq, here.
class TryServersTest < Minitest::Test
  thorough

  SCRIPT = File.expand_path("../../bin/support/try_servers.rb", __dir__)

  def test_puma_and_sidekiq_are_measured_and_reported
    skip "no Redis here: bin/setup --services installs it" unless RedisServer.installed?
    said, status = RedisServer.run { |redis|
      Open3.capture2e({"REDIS_URL" => redis.url}, *ServedApp::BUNDLED_RUBY, SCRIPT)
    }
    assert_predicate status, :success?, said
    assert_includes said, "puma: a report has 3 of GET /orders\n"
    assert_includes said, "sidekiq: a report has 3 of TryJob\n"
  end
end
