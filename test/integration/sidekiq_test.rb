# frozen_string_literal: true

require "test_helper"

class SidekiqIntegrationTest < Minitest::Test
  def setup
    skip "redis-server is not on this machine; bin/setup --services installs it" unless RedisServer.installed?
  end

  def with_sidekiq(*arguments, **options)
    RedisServer.run { |redis| SidekiqProcess.run(redis, *arguments, **options) { |sidekiq| yield sidekiq } }
  end

  def test_jobs_of_all_kinds_each_counted_as_its_user_expects
    with_sidekiq("-c", "3", "-t", "2") do |sidekiq|
      sidekiq.push("5.times { PlainJob.perform_async }; RaisingJob.perform_async; OuterJob.perform_async; ForkingJob.perform_async")
      sidekiq.make_retries_due
      [["plain", 5], ["raising", 2], ["inner", 1], ["forking", 1]].each { |what, times| sidekiq.wait_told(what, times) }
      assert_equal 0, sidekiq.stop.exitstatus
      assert_equal({"PlainJob" => [5, 0], "RaisingJob" => [2, 1], "OuterJob" => [1, 0], "InnerJob" => [1, 0], "ForkingJob" => [1, 0], "in the child" => [1, 0]}, sidekiq.counts)
      assert_match(/\AHoldup::Instrumentation::Sidekiq Greedy /, sidekiq.told_text("chain"))
    end
  end
end
