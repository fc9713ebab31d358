# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/learned"

module Holdup::Advise::Sizing
  class CandidateChoiceTest < Minitest::Test
    include Learned

    MS = 1_000_000
    NOW = Candidate.new(processes: 1, threads: 5)
    LATENCY = Objective.new

    def prediction(wait, processes: 2, response: 60 + wait, guards: [])
      Forecast::Prediction.new(candidate: NOW.with(processes:), ceiling: 50.0 * processes, utilisation: 0.3,
        memory_bytes: processes * 100, connections: 10, guards:, assignments: [:random], cpus: 0.5,
        queued_ns: 0.0, stalled_ns: wait * 1.0 * MS, handoff_ns: 0.0, response_ns: response * 1.0 * MS,
        responses: {0.95 => (response * MS).round}, waits: {0.95 => (wait * MS).round})
    end

    def choice(now, *others, bias: PredictionBias::NONE, objective: LATENCY)
      Recommendation::CandidateChoice.new([now.with(candidate: NOW), *others], now: NOW, objective:, bias:)
    end

    def test_without_anything_learned_it_is_what_the_replays_say
      found = choice(prediction(40), prediction(20), prediction(10, processes: 3))
      assert_equal [3, 0.3], [found.best.candidate.processes, found.gain_of(found.best.candidate).round(9)]
    end

    # 4 % better is too little to change anything for, and earlier predictions that were too high make it no
    # more.
    def test_a_correction_alone_makes_nothing_better
      found = choice(prediction(40), prediction(36), bias: learned(0.8, times: 50))
      assert_in_delta 0.04, found.gain_of(NOW.with(processes: 2)), 1e-9
      assert_in_delta 36 * 0.814, found.best.waits.fetch(0.95).fdiv(MS), 1
      assert_equal 40 * MS, found.current.waits.fetch(0.95)
    end

    def test_a_correction_takes_away_what_earlier_predictions_promised_in_vain
      sides = [prediction(40), prediction(34)]
      plain, corrected = [PredictionBias::NONE, learned(1.2, times: 50)].map { |bias| choice(*sides, bias:) }
      assert_in_delta 0.06, plain.gain_of(plain.best.candidate), 1e-9
      assert_equal NOW, corrected.best.candidate
    end

    # The promise would be kept by one process less, if it came out as much shorter as others did.
    def test_no_promise_is_kept_by_a_correction_alone_and_none_against_one
      cost = Objective.new(name: :cost, slo: Slo.parse("p95=90ms"))
      now = prediction(20)
      high = choice(now.with(memory_bytes: 200),
        prediction(35, processes: 1).with(candidate: NOW.with(threads: 3)), bias: learned(0.8, times: 50),
        objective: cost)
      assert_in_delta 0.0, high.gain_of(NOW.with(threads: 3)), 1e-9
      low = choice(now.with(memory_bytes: 200),
        prediction(25, processes: 1).with(candidate: NOW.with(threads: 3)), bias: learned(1.2, times: 50),
        objective: cost)
      assert_in_delta 0.0, low.gain_of(NOW.with(threads: 3)), 1e-9
    end

    def test_what_breaks_a_limit_is_not_kept_for_a_correction
      found = choice(prediction(40, guards: [:memory]), prediction(40), bias: learned(1.25, times: 50))
      assert_equal [2, 0.0], [found.best.candidate.processes, found.gain_of(found.best.candidate)]
    end

    def test_nothing_gains_more_than_by_its_replay
      random = Random.new(9)
      60.times do
        all = Array.new(4) { |index|
          prediction(random.rand(0..50), processes: index + 1, response: random.rand(60..120))
        }
        objective = Objective.new(name: %i[latency cost balanced].sample(random:))
        plain, corrected = [PredictionBias::NONE,
          learned(random.rand(0.5..2.0), random.rand(0.5..2.0),
            times: random.rand(1..9))].map { |bias| choice(*all, bias:, objective:) }
        all.drop(1).each { |one|
          assert_operator corrected.gain_of(one.candidate), :<=, [plain.gain_of(one.candidate), 0].max + 1e-9
        }
      end
    end

    def test_nothing_may_be
      found = choice(prediction(40, guards: [:memory]), prediction(20, guards: [:memory]), bias: learned(1.1))
      assert_nil found.best
    end
  end
end
