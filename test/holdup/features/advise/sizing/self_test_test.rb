# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/played_recording"

module Holdup::Advise::Sizing
  class SelfTestTest < Minitest::Test
    def test(recording) = recording.recommendation.self_test

    one_ruby def test_a_recording_that_is_what_it_says
      found = test(PlayedRecording.new(minutes: 30))
      assert_equal [:a, []], [found.grade, found.reasons]
      assert_operator found.errors.values.map(&:abs).max, :<=, 0.1
    end

    one_ruby def test_replays_nothing_twice
      recording = PlayedRecording.new(minutes: 6, processes: 2, threads: 3, rate: 90.0, vcpus: 4.0)
      recording.measured
      replay = Replay.method(:call)
      asked = []
      counted = lambda do |trace, scenario|
        asked << [trace.object_id, scenario]
        replay.call(trace, scenario)
      end
      Replay.stub(:call, counted) { test(recording) }
      assert_operator asked.size, :>=, SelfTest::REPLAYS
      assert_equal asked.uniq.size, asked.size
    end

    one_ruby def test_units_that_held_longer_than_they_say
      assert_equal :c, test(PlayedRecording.new(minutes: 30, truth: 1.5)).grade
    end

    # What units ask for is known without the waits for a CPU.
    one_ruby def test_a_recording_that_was_starved
      recording = PlayedRecording.new(minutes: 6, truth: 1.5)
      assert_equal [[:unknown], [:starved]],
        [1.0,
          1.3].map { |held_per_cpu| test(recording.tap { recording.held_per_cpu = held_per_cpu }).reasons }
    end

    # Another number of threads than is thought to be.
    one_ruby def test_another_setting_than_it_says
      recording = PlayedRecording.new(minutes: 30, rate: 40.0, threads: 2)
      recording.measured
      recording.threads = 1
      assert_equal :c, test(recording).grade
    end

    # With two processes it can be seen which of them got a request, by how long the others waited.
    one_ruby def test_how_requests_came_to_processes
      %i[random least_busy].each do |assignment|
        recording = PlayedRecording.new(minutes: 6, processes: 2, threads: 3, rate: 90.0, vcpus: 4.0,
          swing: 0.0, assignment:)
        assert_equal [assignment], test(recording).assignments
      end
    end

    one_ruby def test_one_process_does_not_show_it
      assert_equal %i[random least_busy], test(PlayedRecording.new(minutes: 6)).assignments
    end

    one_ruby def test_responses_without_unstamped_queue_time
      recording = PlayedRecording.new(minutes: 30)
      whole = recording.measured
      outcome = recording.truth_at(threads: 5, processes: 1)
      times = outcome.column(:response).zip(outcome.column(:queued))
      inside = times.map { |response, queued| response - queued }.sort
      recording.measured = whole.with(queued_ns: nil, response_ns: inside.sum.fdiv(inside.size),
        p95_ns: inside[(inside.size * 0.95).floor])
      found = test(recording)
      assert_equal :a, found.grade
      assert_nil found.predicted.queued_ns
    end
  end
end
