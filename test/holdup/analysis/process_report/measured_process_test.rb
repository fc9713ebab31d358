# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ProcessReport::MeasuredProcessTest < Minitest::Test
  ProcessReport = Holdup::Analysis::ProcessReport
  NS = 1_000_000_000
  START_S = 1_790_000_000
  POOL = {"pool.0": "web", "pool.0.max": 5, "pool.0.busy": 2, "pool.0.backlog": 1}.freeze

  # @param growing [Hash{Symbol => Numeric}] seconds that each time grows by in a minute
  def samples(*minutes, growing: {}, since_s: START_S - 600, **facts)
    minutes.map do |minute|
      times = growing.transform_values { |seconds| (minute * seconds * NS).round }
      {at_s: START_S + minute * 60, host: "web-1", pid: 7, start: 1, since_s:, name: "worker 0",
       server: "puma", **times, **facts}
    end
  end

  def process(samples, from_s: START_S, to_s: START_S + 600)
    ProcessReport::MeasuredProcess.of(ProcessReport::SampleTrail.new(samples), from_s:, to_s:, every_s: 60)
  end

  def test_shares_of_a_core_and_of_the_time_that_it_wanted_one
    found = process(samples(0, 1, 2, growing: {cpu_ns: 30, run_delay_ns: 10, gc_time_ns: 6}))
    assert_in_delta 0.5, found.cpu_share
    assert_in_delta 0.25, found.waiting_share
    assert_in_delta 0.1, found.gc_share
    assert_nil process(samples(0, 1)).waiting_share
  end

  # A sample is seen a minute at most before the process ends.
  def test_a_process_is_there_until_a_step_after_its_last_sample
    living = process(samples(0, 1, 2))
    assert_equal [START_S, START_S + 180], [living.from_s, living.to_s]
    assert_equal START_S + 150, process(samples(0, 1, 2), to_s: START_S + 150).to_s
    ended = process(samples(0, 1) + samples(2, ended: true))
    assert_equal START_S + 120, ended.to_s
    assert_equal 180, living.seconds
  end

  def test_a_process_that_began_within_the_span_is_there_from_its_begin
    found = process(samples(1, 2, since_s: START_S + 30))
    assert_equal START_S + 30, found.from_s
    assert_equal 90, found.age_s
    assert_equal 0, process(samples(0), to_s: START_S - 60).seconds, "never less than nothing"
  end

  def test_pools_with_what_was_busy_and_waited
    found = process(samples(0, 1, **POOL) + samples(2, **POOL, "pool.0.busy": 5, "pool.0.backlog": 7))
    pool = found.pools.first
    assert_equal ["web", 5, 7], [pool.name, pool.max, pool.most_backlog]
    assert_in_delta 3, pool.busy
    assert_in_delta 3, pool.backlog
    assert_equal 5, found.threads
    assert_in_delta 3, found.busy
  end

  # What a tick adds up is exact; a sample sees a moment.
  def test_threads_that_were_busy_are_known_from_their_time
    ticks = samples(0, 1, 2, growing: {"pool.0.busy_ns": 90, ticked_ns: 60}, **POOL)
    assert_in_delta 1.5, process(ticks).busy
  end

  def test_pools_of_connections_take_no_requests
    both = {**POOL, "pool.1": "db primary", "pool.1.max": 9, "pool.1.busy": 9}
    found = process(samples(0, 1, **both))
    assert_equal 2, found.pools.size
    assert_equal 5, found.threads
    assert_in_delta 2, ProcessReport::MeasuredProcess.busy(
      ProcessReport::SampleTrail.new(samples(0, 1, **both)), false
    )
  end

  # A pool that begins later may renumber the others.
  def test_only_samples_of_the_last_name_count_for_a_pool
    earlier = samples(0, 1, "pool.0": "default", "pool.0.max": 9, "pool.0.busy": 9, "pool.0.backlog": 50)
    found = process(earlier + samples(2, 3, **POOL))
    assert_equal [["web", 1]], found.pools.map { |pool| [pool.name, pool.most_backlog] }
  end

  def test_time_of_threads_for_one_kind_of_work
    found = process(samples(0, 1, **POOL, "pool.1": "mails", "pool.1.max": 2))
    assert_equal 5 * found.seconds, found.thread_seconds(:request)
    assert_equal 2 * found.seconds, found.thread_seconds(:job)
    assert_nil found.thread_seconds(:job, ["other"])
    assert found.takes?(:job)
    refute process(samples(0, 1)).takes?, "it has no threads for requests"
  end
end
