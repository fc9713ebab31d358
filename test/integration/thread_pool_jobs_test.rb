# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# The real sucker_punch, and Rails' async adapter.
class ThreadPoolJobsIntegrationTest < Minitest::Test
  one_ruby

  APP = File.expand_path("apps/thread_pools/app.rb", __dir__)

  def test_counts_jobs_and_tells_the_pools
    Dir.mktmpdir do |folder|
      env = OtherBundle.of(JobDatabase::GEMFILE, HOLDUP_DIR: folder, HOLDUP_COLLECTOR: "off",
        HOLDUP_LOG: "off", HOLDUP_TICK_SECONDS: "0.1")
      printed, errors, status = Open3.capture3(env, *ServedApp::BUNDLED_RUBY, APP)
      assert_predicate status, :success?, errors
      assert_equal ["async", "sucker_punch LetterJob"], JSON.parse(printed).fetch("busy")
      rows = JSON.parse(printed).fetch("units").map(&:values).sort_by(&:to_s)
      # What runs in the thread that asked for it has waited in no pool.
      assert_equal [["AsyncJob", "mails", "async", 3, 0, 3], ["AsyncJob", "mails", nil, 1, 0, 0],
        ["LetterJob", nil, "sucker_punch LetterJob", 7, 2, 7]], rows
    end
  end
end
