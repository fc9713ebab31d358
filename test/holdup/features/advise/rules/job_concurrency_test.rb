# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class JobConcurrencyTest < Minitest::Test
    include Situations

    WAITING = {kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, rate: 15.0, minutes: 10}.freeze
    LEVERS = [{"lever.concurrency.value": 3, "lever.concurrency.write": ":concurrency: N",
               "lever.concurrency.how": "in_file",
               "lever.concurrency.how.file": "config/sidekiq.yml",
               "lever.concurrency.where": "config/sidekiq.yml:1",
               "lever.concurrency single.value": 1,
               "lever.concurrency single.write": "concurrency = N",
               "lever.concurrency single.how": "sidekiq_capsule",
               "lever.concurrency single.how.capsule": "single"}].freeze

    def found(samples: [], pool: nil, levers: LEVERS, **recording)
      find(JobRules::JobConcurrency, pool:, units: unit(cpu: 5), samples:,
        recommendation: advised(PlayedRecording.new(**WAITING, **recording), objective: :throughput), levers:)
    end

    one_ruby def test_more_jobs_at_a_time
      text = text_of(found = found(threads: 3))
      best = found.facts[:best]
      assert_operator best, :>, 8
      assert_match(
        /\AAt most [\d.]+ jobs\/s now, [\d.]+ then, .*\[holdup whatif --threads #{best} --kind job\]\z/,
        text["seen"]
      )
      assert_match(/In config\/sidekiq.yml:1 .*:\n- :concurrency: 3\n\+ :concurrency: #{best}\z/, text["do"])
      assert_match(/% more jobs, or the same number with correspondingly fewer threads \([\d.]+ % to/,
        text["expect"])
      assert_operator found.interval.begin, :>, 0
    end

    # They share a GVL, so the sum counts: one capsule keeps its thread, the busy one gets the rest.
    one_ruby def test_the_busiest_of_several_capsules
      samples = [0, 60, 120].map do |passed|
        {at_s: SampleWindows::START_S + passed, host: "web-1", pid: 7, start: 1,
         since_s: SampleWindows::START_S, name: "pid 7", server: "sidekiq",
         "pool.0": "default (a, b)", "pool.0.max": 2, "pool.0.busy": 2, "pool.1": "single", "pool.1.max": 1,
         "pool.1.busy": 0}
      end
      found = found(threads: 3, samples:)
      assert_equal ":concurrency: #{found.facts[:best] - 1}", found.change.new
      assert_equal [2, "default"], found.facts.values_at(:groups, :group)
      asked = found(threads: 3, samples:, pool: "single")
      assert_equal "concurrency = #{asked.facts[:best] - 2}", asked.change.new[/\A\S+ = \d+/]
      assert_match(/with several groups, that of "single"/, text_of(asked)["do"])
    end

    # Known to the replay: the first one is sized, whatever samples say of the busiest.
    one_ruby def test_pools_that_were_replayed
      found = found(pools: {"single (a)" => [1, %w[SyncJob]], "default" => [2, %w[OtherJob]]},
        shapes: {"SyncJob" => [0.8, 5, 45, 6], "OtherJob" => [0.2, 2, 8, 1]})
      assert_equal "single", found.facts[:group]
      assert_equal "concurrency = #{found.facts[:best] - 2}", found.change.new[/\A\S+ = \d+/]
    end

    # In the words of Solid Queue and GoodJob; a line of all groups would be the wrong one.
    one_ruby def test_groups_that_are_named_by_their_queues
      pools = {"queues sync" => [1, %w[SyncJob]], "queues *" => [2, %w[OtherJob]]}
      levers = [{"lever.threads.write": "good_job start --max-threads N",
                 "lever.threads (sync).write": "threads: N", "lever.threads (sync).how": "solid_queue_worker",
                 "lever.threads (*).write": "threads: N"}]
      recommendation = advised(
        PlayedRecording.new(**WAITING, pools:,
          shapes: {"SyncJob" => [0.8, 5, 45, 6], "OtherJob" => [0.2, 2, 8, 1]},
          minutes: 4), objective: :throughput
      )
      found, unnamed = [levers, [levers.first.slice(:"lever.threads.write")]].map { |known|
        find(JobRules::JobConcurrency, units: unit(cpu: 5), recommendation:, levers: known)
      }
      assert_equal ["threads: #{found.facts[:best] - 2}", "solid_queue_worker"],
        [found.change.new, found.change.how]
      assert_nil unnamed.change
    end

    one_ruby def test_nothing_where_the_number_is_right
      assert_nil found(threads: 12)
      assert_nil find(JobRules::JobConcurrency, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 10))),
        "requests"
    end
  end
end
