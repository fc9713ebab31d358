# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../../support/learned"

module Holdup::Advise::Sizing
  class PredictionBiasTest < Minitest::Test
    include Learned

    MS = 1_000_000
    NOW = Candidate.new(processes: 1, threads: 5)
    Recorded = Data.define(:setting, :kind, :pools)

    def correction(*ratios, name: :p95, **figure)
      PredictionBias.new(ratios.map { |ratio|
        outcome(figures: {:response => figure(1.0),
                          name => figure(ratio, **figure)})
      }).corrections.fetch(name)
    end

    def factor(...) = correction(...).factor

    def prediction(ns = 100 * MS)
      Forecast::Prediction.new(candidate: Candidate.new(processes: 2, threads: 5), ceiling: 50.0,
        utilisation: 0.3, memory_bytes: 1, connections: 10, guards: [], assignments: [:random], cpus: 0.5,
        queued_ns: 2.0 * MS, stalled_ns: 4.0 * MS, handoff_ns: nil, response_ns: 50.0 * MS,
        responses: {0.5 => 40 * MS, 0.95 => ns}, waits: {0.95 => 20 * MS})
    end

    def before = prediction.with(candidate: NOW)

    def test_nothing_learned_corrects_nothing
      assert_predicate PredictionBias::NONE, :none?
      assert_equal [prediction] * 2,
        [PredictionBias::NONE.apply(prediction, now: NOW), PredictionBias::NONE.judged(prediction, before:)]
      assert_in_delta 1.0, factor(1.0, 1.0, 1.0), 1e-9
    end

    # @param expected [Array<(Integer, Integer), nil>] ms between which 100 ms were expected, latest last
    def misses(*expected)
      found = expected.map.with_index do |range, at|
        outcome(at_s: at, figures: {p95: figure(1.0, ns: 100, expected: range)})
      end
      PredictionBias.new(found.reverse).then { |bias| [bias.misses, bias.wrong_again?] }
    end

    def test_how_many_of_the_latest_missed_their_interval
      assert_equal [0, false], misses
      assert_equal [1, false], misses([90, 99])
      assert_equal [2, true], misses([90, 110], [90, 99], [101, 110])
      assert_equal [0, false], misses([90, 99], [90, 99], [90, 110])
      assert_equal [2, true], misses([90, 99], nil, [90, 99]), "one whose interval was not kept"
    end

    def test_one_outcome_goes_less_than_half_of_the_way_and_many_nearly_all_of_it
      [0.9, 1.1].each do |truth|
        ways = [1, 4, 100].map { |count| Math.log(factor(*[truth] * count)) / Math.log(truth) }
        assert_operator ways[0], :<, 0.5
        assert_in_delta 0.5, ways[1], 1e-6
        assert_includes 0.95..1.0, ways[2]
      end
    end

    def test_in_any_order_the_same_and_what_contradicts_cancels
      random = Random.new(4)
      20.times do
        ratios = Array.new(random.rand(1..12)) { Math.exp(random.rand(-0.5..0.5)) }
        found = factor(*ratios)
        assert_in_delta found, factor(*ratios.shuffle(random:)), 1e-9
        assert_in_delta 1 / found, factor(*ratios.map { |ratio| 1 / ratio }), 1e-6
        assert_in_delta 1.0, factor(*ratios, *ratios.map { |ratio| 1 / ratio }), 1e-6
        assert_includes 0.8..1.25, found
      end
    end

    # Each outcome of a larger error corrects by more, as far as an error can be the model's.
    def test_other_work_is_no_error_of_the_model
      assert_operator factor(1.05), :<, factor(1.1)
      assert_in_delta factor(1.25), factor(10.0), 1e-9
      assert_in_delta factor(0.8), factor(0.0), 1e-9
      assert_in_delta 10.0, correction(10.0).ratio, 1e-6
      assert_operator factor(*[30.0] * 1000), :<=, 1.25
    end

    # What a replay lacks for the recorded setting, it lacks on both sides of the comparison.
    def test_what_the_self_test_was_off_by_is_no_error_of_the_prediction
      assert_in_delta 1.0, factor(1.08, 1.08, self_test: 1.08), 1e-6
      assert_in_delta factor(1.1), factor(1.1 * 0.95, self_test: 0.95), 1e-6
    end

    def test_waits_count_for_what_they_are_of_the_response
      assert_in_delta 1.0, factor(2.0, name: :wait, ns: MS / 100), 0.001
      assert_includes 1.0...factor(1.1), factor(1.1, name: :wait, ns: 20 * MS)
      assert_in_delta 1.0, factor(1.0, name: :wait, ns: 0), 1e-9
    end

    def test_only_of_the_same_application_kind_and_pool_and_with_units_enough
      ours = outcome(1.2, app: "shop", kind: :job, pool: "low")
      others = [ours.with(app: "blog"), ours.with(kind: :request), ours.with(pool: "mail"),
        ours.with(units: 399)]
      recorded = Recorded.new(setting: Holdup::Setting.new(attributes: {"app" => "shop"}), kind: :job,
        pools: Data.define(:names).new(names: %w[low mail]))
      assert_equal 1, PredictionBias.of([ours, *others], recorded).corrections.fetch(:p95).predictions
      assert_predicate PredictionBias.of(others, recorded), :none?
      assert_predicate PredictionBias.of([ours], recorded.with(setting: nil)), :none?
    end

    def test_each_figure_by_its_own
      bias = PredictionBias.new([outcome(figures: {response: figure(1.1), p95: figure(0.9),
                                                   wait: figure(1.0)})])
      corrected = bias.apply(prediction, now: NOW)
      judged = bias.judged(prediction, before:)
      up = factor(1.1)
      down = factor(0.9)
      assert_equal [(40 * MS * up).round, (100 * MS * down).round], corrected.responses.values
      assert_in_delta 50 * MS * up, corrected.response_ns, 1
      assert_equal prediction.to_h.slice(:queued_ns, :stalled_ns, :handoff_ns, :waits, :ceiling, :guards),
        corrected.to_h.slice(:queued_ns, :stalled_ns, :handoff_ns, :waits, :ceiling, :guards)
      assert_equal [(40 * MS * up).round, 100 * MS], judged.responses.values
    end

    def test_of_what_is_now_nothing_is_corrected_and_no_limit_is_broken_for_a_correction
      bias = PredictionBias.new([outcome(figures: {p95: figure(1.2)})])
      refute_equal prediction, bias.judged(prediction, before:)
      assert_equal prediction, bias.judged(prediction, before: before.with(guards: [:memory]))
      assert_equal [before] * 2, [bias.apply(before, now: NOW), bias.judged(before, before:)]
    end

    def test_what_was_not_replayed_has_nothing_to_correct
      rejected = prediction.with(assignments: [], queued_ns: nil, stalled_ns: nil, response_ns: nil,
        responses: {}, waits: {})
      assert_equal rejected, PredictionBias.new([outcome(1.1)]).apply(rejected, now: NOW)
    end
  end
end
