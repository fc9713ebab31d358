# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/situations"

module Holdup::Advise::Rules
  class ThreadCountTest < Minitest::Test
    include Situations

    LEVERS = [{"lever.threads.value": 1,
               "lever.threads.write": "threads N, N", "lever.threads.how": "puma_restart",
               "lever.threads.where": "config/puma.rb:12"}].freeze

    def found(levers: LEVERS, limits: {}, **recording)
      find(ThreadRules::ThreadCount, units: unit(cpu: 5),
        recommendation: advised(PlayedRecording.new(minutes: 10, **recording), **limits), levers:)
    end

    one_ruby def test_more_threads_with_a_diff_of_the_line
      found = found(threads: 1, vcpus: 1.0, rate: 18.0)
      best = found.facts[:best]
      assert_operator best, :>, 1
      text = text_of(found)
      assert_match(/\AReplayed at peak load, queued \+ GVL wait at p95: [\d.]+ m?s now/, text["seen"])
      assert_match(/, [\d.]+ m?s then\. \[holdup whatif --threads #{best}\]\z/, text["seen"])
      assert_equal "Change the number of threads. " \
                   "In config/puma.rb:12 (then restart (SIGUSR2 to the master)):" \
                   "\n- threads 1, 1\n+ threads #{best}, #{best}",
        text["do"]
      beginning = /\Aqueued \+ GVL wait .* falls by [\d.]+ % of the response /
      ending = /\([\d.]+ % to [\d.]+ % with 90 % confidence\)\z/
      assert_match(/#{beginning}#{ending}/, text["expect"])
    end

    # Two threads alone would be worse; with a second process they are better.
    one_ruby def test_what_is_advised_is_replayed_whole
      found = found(limits: {pool: 2})
      assert_match(/\Awhatif --threads \d --processes 2\z/, found.facts[:query])
      assert_operator found.gain, :>, 0
    end

    # Fewer threads alone would be worse; a shorter time slice makes up for it.
    one_ruby def test_a_time_slice_that_is_advised_with_it_is_replayed_with_it
      found = found(threads: 5, vcpus: 1.0, slices: true, limits: {pool: 4})
      assert_equal "whatif --threads 4 --slice 10ms", found.facts[:query]
      assert_operator found.gain, :>, 0
    end

    one_ruby def test_nothing_where_the_number_is_right
      assert_nil found
      assert_nil find(ThreadRules::ThreadCount, units: unit(cpu: 5)), "nothing was recorded singly"
    end
  end
end
