# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/played_store"

module Holdup::Advise::Sizing
  class JobDeadlinesTest < Minitest::Test
    Curve = JobDeadlines::ArrivalCurve
    QUEUE = "sync"
    # 50 ms each, hardly any of it with the GVL: three threads do nearly 60 a second.
    PLAYED = PlayedStore.new(PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 2, 48, 3]},
      rate: 12.0, minutes: 15, threads: 3, queue: QUEUE, swing: 0.0))

    def recommendation(played: PLAYED, kind: :job)
      store = Holdup::Store.open("memory:").tap { |one| played.fill(one) }
      Holdup::Advise::Reader.new(store, from_s: played.from_s, to_s: played.to_s, kind:,
        objective: Objective.new(name: :throughput)).recommendation
    end

    one_ruby def test_processes_for_the_jobs_of_a_queue
      found = JobDeadlines.new(recommendation).call
      assert_equal [QUEUE], found.queues.map(&:queue)
      need = found.queues.first
      assert_in_delta 12, need.rate, 2
      assert_in_delta 55, need.process_rate, 8
      assert_in_delta need.rate / need.process_rate, need.processes, 0.05
      assert_equal [1, need.processes], [found.now, found.processes]
    end

    one_ruby def test_less_time_takes_more_processes
      found = recommendation
      soon, late = [0, 600].map { |within_s| JobDeadlines.new(found, within_s:).call.processes }
      assert_operator soon, :>, late
    end

    one_ruby def test_requests_have_none
      played = PlayedStore.new(PlayedRecording.new(minutes: 12))
      assert_nil JobDeadlines.new(recommendation(played:, kind: :request)).call
    end

    def test_a_burst_may_be_worked_off_within_the_time
      curve = Curve.new([0, 600, 0, 0, 0, 0, 0, 0, 0, 0], step_s: 60)
      assert_in_delta 10, curve.rate_within(0), 0.01
      assert_in_delta 5, curve.rate_within(60), 0.01
      assert_in_delta 600 / 360.0, curve.rate_within(300), 0.01
    end

    def test_bursts_that_follow_each_other_wait_for_each_other
      curve = Curve.new([600, 600, 600, 0, 0, 0], step_s: 60)
      assert_in_delta 1800 / 240.0, curve.rate_within(60), 0.01
      assert_equal [5, 10], [curve.mean, curve.peak]
    end

    # What is left at the end of a recording may begin later, but not more and more of it.
    def test_no_fewer_than_what_arrives_on_average
      assert_equal 10, Curve.new([600, 600, 600], step_s: 60).rate_within(300)
    end

    def test_jobs_arrived_before_they_ran
      late = Holdup::Histogram.of([180_000_000_000] * 5)
      windows = [[0, {}], [300, {queued: late}]].map do |at_s, histograms|
        SampleWindows.new(kind: :job).window("A", start_s: at_s, count: 5, histograms:)
      end
      assert_in_delta 5 / 60.0, Curve.of(windows).peak, 0.001
      assert_in_delta 10 / 180.0, Curve.of(windows).mean, 0.001
    end
  end
end
