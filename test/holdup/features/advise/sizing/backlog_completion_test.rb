# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  # Jobs of which each takes as long as the others of its queue, so that waits are known exactly.
  class BacklogCompletionTest < Minitest::Test
    S = 1_000_000_000
    Queue = WaitingBacklog::BacklogQueue

    # @param idle_s [Numeric] for which each job waits; they hold the GVL for a microsecond
    def jobs(queue, idle_s, count: 3, **rest)
      Array.new(count) do |index|
        ExampleUnits.unit_sample(index, kind: :job, queue:, running_ns: 1_000, idle_ns: (idle_s * S).round,
          longest_hold_ns: 0, acquisitions: 1, in_flight_milli: 1000, **rest)
      end
    end

    def completion(queues, samples, threads: 1, processes: 1, hosts: 1)
      backlog = WaitingBacklog.new(at_s: 0, queues:)
      now = Candidate.new(processes:, threads:)
      BacklogCompletion.new(backlog, samples, now:, hosts:, vcpus: 2, handoff_ns: 0)
    end

    def seconds(ns) = ns&.fdiv(S)&.round(2)

    def waits(time) = time.queues.to_h { |queue| [queue.name, seconds(queue.mean_ns)] }

    def done(found) = found.times.to_h do |time|
      [[time.candidate.processes, time.candidate.threads], seconds(time.done_ns)]
    end

    STRICT = [Queue.new(name: "high", size: 10, lane: 0), Queue.new(name: "low", size: 20, lane: 1)].freeze

    def test_strict_queues_are_done_one_after_the_other
      samples = jobs("high", 1) + jobs("low", 5)
      now = completion(STRICT, samples).call.now
      assert_equal 110.0, seconds(now.done_ns)
      assert_equal({"high" => 4.5, "low" => 10 + 9.5 * 5}, waits(now))
      assert_equal [10.0, 110.0], now.queues.map { |queue| seconds(queue.done_ns) }
    end

    def test_waiting_jobs_are_of_the_classes_that_were_read
      samples = jobs("low", 1, name: "Mail", count: 9) + jobs("low", 11, name: "Sync", count: 1)
      mixed = Queue.new(name: "low", size: 100, mix: {"Mail" => 5, "Sync" => 15})
      assert_equal 200.0, seconds(completion([mixed.with(mix: {})], samples).call.now.done_ns)
      assert_equal 25 + 75 * 11.0, seconds(completion([mixed], samples).call.now.done_ns)
    end

    def test_a_class_that_is_recorded_by_another_name_is_what_is_left
      samples = jobs("low", 1, name: "Welcome#mail", count: 9) + jobs("low", 11, name: "Sync", count: 1)
      mixed = Queue.new(name: "low", size: 10, mix: {"MailDeliveryJob" => 5, "Sync" => 5})
      assert_equal 60.0, seconds(completion([mixed], samples).call.now.done_ns)
    end

    def test_a_class_of_another_queue_takes_as_long_as_there
      samples = jobs("low", 1, name: "Mail") + jobs("high", 6, name: "Sync")
      mixed = Queue.new(name: "low", size: 10, mix: {"Mail" => 5, "Sync" => 5})
      assert_equal 35.0, seconds(completion([mixed], samples).call.now.done_ns)
    end

    # Of two pools: jobs of 1 s for one thread (and a second candidate), of 5 s for two others.
    def of_two_pools
      queues = [Queue.new(name: "fast", size: 40, lane: 0, pool: "first"),
        Queue.new(name: "slow", size: 10, lane: 1, pool: "second")]
      now = Candidate.new(processes: 1, threads: 3, other_threads: [2])
      BacklogCompletion.new(WaitingBacklog.new(at_s: 0, queues:), jobs("fast", 1) + jobs("slow", 5), now:,
        pools: %w[first second], vcpus: 2, handoff_ns: 0).call
    end

    def test_each_pool_takes_jobs_of_its_own_queues
      ends = of_two_pools.now.queues.to_h { |queue| [queue.name, seconds(queue.done_ns)] }
      assert_equal({"fast" => 40.0, "slow" => 25.0}, ends)
    end

    def test_other_pools_keep_their_threads
      found = of_two_pools
      assert_equal "first", found.pool
      threads = found.times.first(4).map { |time| time.candidate.threads }
      assert_equal [1, 2, 5, 10].map { |own| own + 2 }, threads
      assert_equal [40.0, 25.0, 25.0, 25.0], done(found).values.first(4)
    end

    def test_threads_and_processes_share_the_work_of_jobs_that_wait
      samples = jobs("high", 1) + jobs("low", 5)
      found = done(completion(STRICT, samples).call)
      assert_equal 55.0, found[[1, 2]]
      assert_equal 22.0, found[[1, 5]]
      assert_equal 11.0, found[[1, 10]]
      assert_equal 55.0, found[[2, 1]]
      assert_equal 11.0, found[[2, 5]]
      assert_equal [1, 2].product([1, 2, 5, 10]), found.keys
    end

    def test_the_present_setting_is_among_those_that_are_tried
      found = completion(STRICT, jobs("high", 10) + jobs("low", 10), threads: 3, processes: 4).call
      assert_equal [1, 2, 4].product([1, 2, 3, 5, 10]), done(found).keys
      assert_includes found.times, found.now
    end

    def test_hosts_share_the_jobs
      samples = jobs("high", 1) + jobs("low", 5)
      assert_equal 55.0, seconds(completion(STRICT, samples, hosts: 2).call.now.done_ns)
    end

    def test_weighted_queues_are_done_at_the_same_time_where_weights_are_as_their_sizes
      queues = [Queue.new(name: "a", size: 300, lane: 0, weight: 3),
        Queue.new(name: "b", size: 100, lane: 1, weight: 1)]
      now = completion(queues, jobs("a", 1) + jobs("b", 1)).call.now
      waits = waits(now)
      assert_in_delta 200, waits["a"], 20
      assert_in_delta 200, waits["b"], 40
      assert_equal 400.0, seconds(now.done_ns)
    end

    def test_queues_of_one_lane_are_mixed
      queues = [Queue.new(name: "a", size: 100), Queue.new(name: "b", size: 100)]
      waits = waits(completion(queues, jobs("a", 1) + jobs("b", 1)).call.now)
      assert_in_delta waits["a"], waits["b"], 20
    end

    def test_arrivals_of_an_earlier_queue_delay_the_later_one
      queues = [Queue.new(name: "high", size: 0, lane: 0, arrival_rate: 0.5),
        Queue.new(name: "low", size: 100, lane: 1)]
      found = completion(queues, jobs("high", 1) + jobs("low", 1)).call
      assert_in_delta 200, seconds(found.now.done_ns), 30
      assert_equal ["low"], found.now.queues.map(&:name)
    end

    def test_no_end_is_in_sight_where_jobs_of_an_earlier_queue_arrive_faster_than_they_are_done
      queues = [Queue.new(name: "high", size: 10, lane: 0, arrival_rate: 1.5),
        Queue.new(name: "low", size: 100, lane: 1)]
      found = completion(queues, jobs("high", 1) + jobs("low", 1)).call
      assert_nil found.now.done_ns
      assert_operator done(found)[[1, 5]], :<, 100
    end

    def test_arrivals_of_a_later_queue_delay_nothing
      queues = [Queue.new(name: "high", size: 100, lane: 0),
        Queue.new(name: "low", size: 0, lane: 1, arrival_rate: 0.5)]
      assert_equal 100.0, seconds(completion(queues, jobs("high", 1) + jobs("low", 1)).call.now.done_ns)
    end

    def test_one_job_of_a_replay_stands_for_several_where_many_wait
      queues = [Queue.new(name: "high", size: 300_000), Queue.new(name: "low", size: 100_000, lane: 1)]
      now = completion(queues, jobs("high", 1) + jobs("low", 1)).call.now
      assert_in_delta 400_000, seconds(now.done_ns), 400
      assert_in_delta 350_000, waits(now)["low"], 400
    end

    def test_the_times_of_jobs_are_as_often_as_they_were_recorded
      samples = jobs("a", 1, weight: 9.0, count: 1) + jobs("a", 11, weight: 1.0, count: 1)
      now = completion([Queue.new(name: "a", size: 1000)], samples).call.now
      assert_in_delta 2000, seconds(now.done_ns), 11
    end

    def test_jobs_of_a_queue_that_was_not_recorded_are_like_all_others
      found = completion([Queue.new(name: "new", size: 100)], jobs("a", 2)).call
      assert_equal ["new"], found.unrecorded
      assert_equal 200.0, seconds(found.now.done_ns)
    end

    def test_a_short_wait_is_no_backlog
      assert_nil completion([Queue.new(name: "a", size: 20)], jobs("a", 1)).call
    end

    def test_more_queues_than_a_replay_has_lanes_are_not_replayed
      queues = Array.new(65) { |lane| Queue.new(name: "q#{lane}", size: 100, lane:) }
      assert_nil completion(queues, jobs("q0", 1)).call
    end
  end
end
