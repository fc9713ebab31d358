# frozen_string_literal: true

require "test_helper"
require_relative "../../support/played_recording"
require_relative "../../support/situations"

module Holdup::Advice
  # Rules that say what a recommendation comes to.
  class SizesTest < Minitest::Test
    include Situations

    def advised(rule, limits: {}, levers: [], objective: nil, **recording)
      played = PlayedRecording.new(minutes: 10, **recording)
      objective = Holdup::Analysis::Sizing::Objective.new(objective || :latency)
      find(rule, units: unit(cpu: 5), recommendation: played.recommendation(limits: played.limits(**limits), objective:), levers:)
    end

    def test_processes
      found = advised(:ProcessCount)
      assert_equal [1, 2], found.facts.values_at(:now, :best)
      assert_operator found.interval.begin, :>, 0
      assert_nil advised(:ProcessCount, processes: 2)
    end

    def test_threads
      found = advised(:ThreadCount, threads: 1, vcpus: 1.0, rate: 18.0, levers: [{"lever.threads.how": "threads N, N, then restart"}])
      assert_operator found.facts[:best], :>, 1
      assert_equal "threads #{found.facts[:best]}, #{found.facts[:best]}, then restart", found.change
      assert_operator found.gain, :>, 0.05
      assert_nil advised(:ThreadCount)
    end

    def test_jobs
      found = advised(:JobConcurrency, kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, rate: 15.0, threads: 3, objective: :throughput,
        levers: [{"lever.concurrency.how": ":concurrency: N", "lever.concurrency.where": "config/sidekiq.yml:1"}])
      assert_operator found.facts[:best], :>, 8
      assert_equal [":concurrency: #{found.facts[:best]}", "config/sidekiq.yml:1"], [found.change, found.where]
      assert_nil advised(:JobConcurrency)
    end

    def test_time_slices
      convoy = {"Light#show" => [0.9, 2, 8, 6], "Heavy#show" => [0.1, 250, 10, 1]}
      found = advised(:TimeSlice, shapes: convoy, rate: 12.0, slices: true, vcpus: 1.0)
      assert_match(/\ARUBY_THREAD_TIMESLICE=\d0\z/, found.change)
      assert_nil advised(:TimeSlice, shapes: convoy, rate: 12.0, slices: false, vcpus: 1.0)
      assert_nil advised(:TimeSlice, slices: true)
    end

    def test_too_short_a_recording
      assert_equal 10, advised(:ShortSampling).facts[:minutes]
      long = PlayedRecording.new(minutes: 120)
      assert_nil find(:ShortSampling, units: unit(cpu: 5), recommendation: long.recommendation)
      assert_nil find(:ShortSampling)
    end
  end
end
