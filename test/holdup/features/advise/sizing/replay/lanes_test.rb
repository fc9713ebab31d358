# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Advise::Sizing
  # Queues that threads of a job runner take from in strict order, or by weight.
  class ReplayLanesTest < Minitest::Test
    MS = 1_000_000

    def job(lane, arrival_ms: 0, held_ms: 0, idle_ms: 10)
      Trace::TraceUnit.new(arrival_ns: arrival_ms * MS, held_ns: held_ms * MS, idle_ns: idle_ms * MS,
        acquisitions: 1, lane:)
    end

    def replay(jobs, lanes:, threads: 1, processes: 1, **rest)
      Replay.call(Trace.new(jobs), Scenario.of(threads:, processes:, lanes:, vcpus: 8, handoff_ns: 0,
        assignment: :shared, **rest))
    end

    # Milliseconds that each job waited for a thread, in the order of the trace.
    def waits_ms(result) = result.column(:queued).map { |ns| ns.fdiv(MS).round(3) }

    def test_takes_from_the_first_lane_that_has_a_job
      jobs = [job(2), job(1), job(0), job(1), job(0)] # the first finds the thread free
      assert_equal [0, 30, 10, 40, 20], waits_ms(replay(jobs, lanes: [0, 0, 0]))
    end

    def test_a_job_of_an_earlier_lane_overtakes_those_that_wait
      jobs = [job(1), job(1), job(1), job(0, arrival_ms: 15)]
      assert_equal [0, 10, 30, 5], waits_ms(replay(jobs, lanes: [0, 0]))
    end

    def test_two_threads_halve_the_waits_of_jobs_that_only_wait
      jobs = Array.new(4) { job(1) } + Array.new(4) { job(0) }
      assert_equal [0, 0, 30, 30, 10, 10, 20, 20], waits_ms(replay(jobs, lanes: [0, 0], threads: 2))
    end

    def test_two_processes_share_the_lanes
      jobs = Array.new(4) { job(1) } + Array.new(4) { job(0) }
      assert_equal [0, 0, 10, 10, 20, 20, 30, 30], waits_ms(replay(jobs, lanes: [0, 0], processes: 2)).sort
    end

    def test_takes_as_often_from_a_lane_as_its_weight_says
      jobs = Array.new(2) { |lane| Array.new(4000) { job(lane) } }.flatten
      result = replay(jobs, lanes: [3, 1])
      first = result.column(:queued).zip(result.trace.units).sort_by(&:first).first(4000).map(&:last)
      assert_in_delta 0.75, first.count { |unit| unit.lane.zero? }.fdiv(first.size), 0.03
    end

    def test_takes_the_rest_of_a_lane_when_the_others_are_empty
      jobs = [job(1), job(1), job(1), job(0)]
      assert_equal [0, 10, 20, 30], waits_ms(replay(jobs, lanes: [1, 9])).sort
    end

    def test_a_lane_without_weight_waits_for_the_others
      jobs = [job(1), job(0), job(1), job(1)]
      assert_equal [0, 30, 10, 20], waits_ms(replay(jobs, lanes: [0, 5]))
    end

    def test_runs_each_job_once_in_any_order
      random = Random.new(1)
      [[0] * 5, [5, 4, 3, 2, 1], [1] * 5].each do |lanes|
        jobs = Array.new(3_000) { job(random.rand(5), held_ms: random.rand(3), idle_ms: random.rand(20)) }
        result = replay(jobs, lanes:, threads: 5, processes: 2)
        assert_equal jobs.sum(&:held_ns), result.column(:held).sum, lanes.inspect
        assert result.column(:response).zip(jobs).all? { |response, unit|
          response >= unit.held_ns + unit.idle_ns
        }, lanes.inspect
      end
    end

    def test_the_order_of_lanes_does_not_change_the_time_of_equal_jobs
      jobs = Array.new(1_000) { |index| job(index % 4) }
      times = [[0] * 4, [4, 3, 2, 1]].map { |lanes| replay(jobs, lanes:, threads: 5).elapsed_ns }
      assert_equal [2_000.0 * MS] * 2, times
    end

    def test_refuses_lanes_that_are_none_too_many_negative_or_missing
      most = Holdup::ReplayEngine::LANES
      {[] => "a replay has 1..#{most} lanes", [0] * (most + 1) => "a replay has 1..#{most} lanes",
       [-1] => "lanes is at least 0",
       [0] => "a unit is of a lane that the replay does not have"}.each do |lanes, message|
        error = assert_raises(ArgumentError) { replay([job(1)], lanes:) }
        assert_equal message, error.message
      end
    end
  end
end
