# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# The real concurrent-ruby.
class FuturesIntegrationTest < Minitest::Test
  APP = File.expand_path("apps/futures/app.rb", __dir__)

  def test_each_run_of_a_block_is_a_job
    Dir.mktmpdir do |folder|
      env = {"HOLDUP_DIR" => folder, "HOLDUP_COLLECTOR" => "off", "HOLDUP_LOG" => "off",
             "HOLDUP_TICK_SECONDS" => "0.1"}
      printed, errors, status = Open3.capture3(env, *ServedApp::BUNDLED_RUBY, APP)
      assert_predicate status, :success?, errors
      assert_empty errors
      found = JSON.parse(printed)
      assert_equal ["NORTH RATES!", "IOError", "2", "future", "21"], found.fetch("values")
      # Each has waited for its thread. `:upcase` is no block of the application.
      assert_equal [["Rates#chained (future)", "futures", 2, 0, 2],
        ["Rates#fail_once (future)", "futures", 2, 1, 2], ["Rates#former (future)", "futures", 1, 0, 1],
        ["Rates#promised (future)", "futures", 2, 0, 2], ["Rates.load (future)", "futures", 1, 0, 1],
        ["Rates.shout (future)", "futures", 1, 0, 1]], found.fetch("units")
    end
  end
end
