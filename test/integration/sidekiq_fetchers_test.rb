# frozen_string_literal: true

require "test_helper"

# Backlog, busy threads and queue time where something else than Sidekiq's BasicFetch takes the jobs, or
# enqueues them.
class SidekiqFetchersTest < Minitest::Test
  one_ruby

  GEMFILE = File.join(ServedApp::ROOT, "gemfiles/job_runners.gemfile")
  OTHER_BUNDLE = {**OtherBundle::OF_THE_TESTS, "BUNDLE_GEMFILE" => GEMFILE}.freeze
  # A heartbeat, at which Sidekiq's backlog is asked for, comes every ten seconds.
  NEXT_BEAT_S = 120

  def with_sidekiq(*arguments, **env, &)
    env = env.transform_keys(&:to_s)
    RedisServer.run { |redis| SidekiqProcess.run(redis, "-t", "1", *arguments, env:, &) }
  end

  # @return [Hash{Symbol => Integer}] of all pools together: sidekiq-limit_fetch knows no capsules
  def all_pools(sidekiq)
    pools = sidekiq.snapshots.flat_map { |snapshot| snapshot.header.pools }
    %i[busy backlog oldest_ns].to_h { |number| [number, pools.sum { |pool| pool[number].to_i }] }
  end

  def assert_waits_and_work(sidekiq, busy:, waiting:)
    sidekiq.push("#{busy + waiting}.times { LongJob.perform_async }")
    sidekiq.wait(NEXT_BEAT_S) { all_pools(sidekiq).values_at(:busy, :backlog) == [busy, waiting] }
    sidekiq.wait { all_pools(sidekiq)[:oldest_ns].positive? }
    sidekiq.report("release")
    sidekiq.wait_reported("long done", busy + waiting)
    sidekiq.stop
    assert_equal({"LongJob" => [busy + waiting, 0]}, sidekiq.counts)
    assert_equal busy + waiting, sidekiq.unit("LongJob").histogram(:queued).count
  end

  def test_a_fetcher_that_keeps_jobs_at_work_in_a_list_of_their_own
    with_sidekiq("-c", "2", FETCH: "private") do |sidekiq|
      assert_waits_and_work(sidekiq, busy: 2, waiting: 3)
    end
  end

  thorough def test_a_limit_of_jobs_in_a_queue
    with_sidekiq("-c", "2", FETCH: "limit", **OTHER_BUNDLE) do |sidekiq|
      assert_waits_and_work(sidekiq, busy: 1, waiting: 3)
    end
  end

  def test_jobs_that_come_by_a_clock
    with_sidekiq("-c", "2", FETCH: "cron", **OTHER_BUNDLE) do |sidekiq|
      sidekiq.wait_reported("plain", 2)
      sidekiq.stop
      unit = sidekiq.unit("PlainJob")
      assert_equal ["default", sidekiq.reported("plain")], [unit.series.queue, unit.count]
      assert_equal unit.count, unit.histogram(:queued).count
    end
  end
end
