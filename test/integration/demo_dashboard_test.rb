# frozen_string_literal: true

require "test_helper"
require "net/http"
require_relative "../../bin/support/demo/children"
require_relative "../../bin/support/demo/dashboard"

# What bin/demo --keep shows at the end.
class DemoDashboardTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  def test_it_is_served_until_the_demo_ends
    with_store do |path|
      children = Demo::Children.new
      address = Demo::Dashboard.new(children:, folder:,
        env: {"HOLDUP_STORE" => path, "HOLDUP_DIR" => folder}).start
      assert_includes Net::HTTP.get(URI(address)), "Holdup"
      children.stop_all
      assert_raises(Errno::ECONNREFUSED) { Net::HTTP.get(URI(address)) }
    end
  end

  def test_why_it_does_not_start
    env = {"HOLDUP_WEB_AUTH" => "nonsense"}
    dashboard = Demo::Dashboard.new(children: Demo::Children.new, folder:, env:)
    failure = assert_raises(Demo::Failure) { dashboard.start }
    assert_match(/holdup web did not start:\n.*HOLDUP_WEB_AUTH/m, failure.message)
  end
end
