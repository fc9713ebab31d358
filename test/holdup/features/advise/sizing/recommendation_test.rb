# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/learned"
require_relative "../../../../support/played_recording"
require_relative "../../../../support/sequential_recordings"
require_relative "../../../../support/stored_simulation"
require_relative "../../../../support/unlike_processes"

module Holdup::Advise::Sizing
  class RecommendationTest < Minitest::Test
    MB = 1_000_000

    def recommendation(limits: {}, objective: Objective.new, factor: 1.0, **recording)
      recorded = PlayedRecording.new(minutes: 60, **recording)
      yield recorded if block_given?
      recorded.recommendation(limits: recorded.limits(**limits), objective:, factor:)
    end

    one_ruby def test_one_process_on_two_cpus_is_one_too_few
      found = recommendation(minutes: 120)
      assert_equal [:change, :better], [found.verdict, found.why]
      assert_equal [2, 5], [found.best.candidate.processes, found.best.candidate.threads]
      assert_operator found.interval.begin, :>, 0.05
      assert_includes found.interval.begin - 0.05..found.interval.end + 0.05, found.gain
      assert_equal :high, found.confidence
      assert_equal :low, found.recording.recommendation(bias: wrong_twice).confidence
    end

    # A restart draws anew: the boots that come may all be slower.
    one_ruby def test_what_processes_differ_by_widens_the_interval
      found = UnlikeProcesses.new(minutes: 40, swing: 0.0).recommendation
      boots = found.boots
      assert_in_delta Math.log(1.1 / 0.9) / Math.sqrt(2), boots.spread.deviation, 0.04
      assert_equal boots.interval, found.interval
      assert_operator found.interval.begin, :<, boots.alone.begin
      assert_includes found.interval, found.gain
      assert_equal boots, found.call.boots
    end

    # @return [PredictionBias] of which the latest predictions missed their intervals
    def wrong_twice
      missed = Learned.figure(1.0, ns: 100, expected: [90, 99])
      PredictionBias.new(Array.new(2) { |at| Learned.outcome(at_s: at, figures: {p95: missed}) })
    end

    # The prediction is held against a replay of the whole recording that the recommendation has not seen.
    one_ruby def test_what_it_predicts_comes_true
      found = recommendation(swing: 0.0)
      truth = found.recording.truth_at(processes: 2, threads: 5)
      assert_in_delta 1, found.best.response_ns / truth.mean(:response), 0.05
      assert_in_delta 1, found.best.responses[0.95].fdiv(truth.histogram(:response).quantile(0.95)), 0.1
    end

    # Light pages, then fewer but heavy ones, which want more time with the GVL.
    one_ruby def test_the_peak_of_a_mix_that_shifts_has_its_own_mix
      parts = {15 => 0.1, 8 => 0.4}.map do |rate, heavy|
        pages = {"Index" => [8, 1 - heavy], "Report" => [120, heavy]}.transform_values do |held_ms, share|
          SimulatedRecording::Endpoint.new(held_ms:, share:, idle_ms: 20, acquisitions: 12, sigma: 0.5)
        end
        SimulatedRecording.new(seed: 3, sway: 0.0, rate:, minutes: 8, endpoints: pages)
      end
      observation = StoredSimulation.of(SequentialRecordings.new(parts))
      found = Recommendation.new(observation, limits: ResourceLimits.new(vcpus: 2), rounds: 2, units: 4000)
      heavy = parts.last.all
      response_ns = heavy.sum { |unit| unit.queued_ns + unit.wall_ns }.fdiv(heavy.size)
      assert_in_epsilon 8, found.rate, 0.1
      assert_in_epsilon response_ns, found.current.response_ns, 0.15
      assert_in_epsilon response_ns, found.measured.response_ns, 0.15
      assert_in_epsilon heavy.size / 480.0 * 52.8 / 1000, found.current.utilisation, 0.15
      refute_includes found.self_test.causes.call, :mix
    end

    # Five thousand requests of a quiet host, from the boot on.
    one_ruby def test_ten_minutes_from_the_boot_on_give_an_answer
      simulated = SimulatedRecording.new(seed: 1, minutes: 10, rate: 8.4, sway: 0.0, age_s: 0)
      observation = StoredSimulation.of(simulated, sampled: true)
      assert_operator observation.figures.cold_share, :<, 0.2, "of which the first two minutes are a fifth"
      found = Recommendation.new(observation, limits: ResourceLimits.new(vcpus: 2), rounds: 2, units: 1500)
      assert_empty found.reasons
      refute_equal :c, found.self_test.grade
    end

    # Two of these three minutes would be too many.
    one_ruby def test_three_minutes_from_the_boot_on_give_an_answer
      simulated = SimulatedRecording.new(seed: 1, minutes: 3, rate: 28, sway: 0.0, age_s: 0)
      observation = StoredSimulation.of(simulated, sampled: true)
      assert_operator observation.figures.cold_share, :<, 0.5
      assert_empty Recommendation.new(observation, limits: ResourceLimits.new(vcpus: 2), units: 1500).reasons
    end

    one_ruby def test_nothing_changes_for_little
      found = recommendation(processes: 2, rate: 60.0)
      assert_equal :keep, found.verdict
      assert_operator found.gain, :<, 0.1
    end

    # What there is now was measured, and stays as it was replayed.
    one_ruby def test_what_came_of_earlier_predictions_corrects_other_settings
      recorded = PlayedRecording.new(minutes: 10)
      plain, longer = [PredictionBias::NONE,
        Learned.learned(1.2, times: 4)].map { |bias| recorded.recommendation(bias:) }
      assert_equal plain.current, longer.current
      assert_operator longer.gain, :<, plain.gain
      assert_operator longer.interval.begin, :<, plain.interval.begin
      others = [plain, longer].map { |found|
        found.predictions.select { |one| one.replayed? && one.candidate != found.now }
      }
      others.transpose.each { |was, is|
        assert_in_delta 1.2**0.5, is.responses[0.95].fdiv(was.responses[0.95]), 1e-6
      }
    end

    one_ruby def test_every_candidate_in_memory_that_is_not_there_shows_its_guard
      found = recommendation(limits: {process_bytes: 500 * MB, base_bytes: 0, memory_limit_bytes: 900 * MB})
      assert_equal :keep, found.verdict
      several = found.predictions.select { |prediction| prediction.candidate.processes > 1 }
      assert(several.all? { |prediction| prediction.guards.map(&:name).include?(:memory) })
    end

    one_ruby def test_what_breaks_a_limit_now_has_to_change
      found = recommendation(processes: 2, threads: 20, limits: {connections: 20})
      assert_equal [:change, :guard], [found.verdict, found.why]
      assert_operator found.best.connections, :<=, 16
      assert found.current.replayed?
    end

    one_ruby def test_when_nothing_serves_the_load
      found = recommendation(rate: 25.0, factor: 10.0)
      assert_equal [:keep, :nothing_fits], [found.verdict, found.why]
      assert_nil found.best
    end

    one_ruby def test_who_is_wrong_about_now_says_nothing
      found = recommendation(truth: 1.6) { |recorded| recorded.resource_wait_ns = 5 * MB }
      assert_equal :unknown, found.verdict
      assert_equal [:self_test, :resource_waits], found.reasons
      assert_equal :c, found.self_test.grade
      assert_operator found.self_test.errors[:response], :<, -0.2
    end

    # The replay may fit by chance: predictions for other minutes can't be that exact.
    one_ruby def test_no_grade_a_on_a_machine_whose_speed_varies
      assert_equal :a, recommendation.self_test.grade
      varied = recommendation do |recorded|
        speeds = {"a" => [100, 100, 100, 120, 120]}
        recorded.machine_speed = Holdup::Analysis::Machine::MachineSpeed.new(speeds)
      end
      assert_equal [:b, [:machine_speed]], [varied.self_test.grade, varied.self_test.reasons]
      refute_equal :high, varied.confidence
    end

    def test_forty_requests_are_not_enough
      few = PlayedRecording.new(minutes: 4, rate: 0.16, swing: 0.0)
      assert_equal [:not_enough], few.recommendation.reasons
      assert_equal Sufficiency::MISSING, few.recommendation.sufficiency.missing
    end

    def test_a_problem_of_the_recording_and_unknown_cpus
      assert_equal [:settings_mixed],
        recommendation { |recorded| recorded.problems = [:settings_mixed] }.reasons
      assert_equal [:vcpus_unknown], recommendation(limits: {vcpus: nil}).reasons
    end

    one_ruby def test_a_short_recording_makes_less_sure
      found = PlayedRecording.new(minutes: 10).recommendation
      assert_equal :change, found.verdict
      assert_includes found.sufficiency.missing, :hours
      refute_equal :high, found.confidence
    end

    # A light unit behind heavy ones waits for whole time slices.
    one_ruby def test_the_time_slice_is_a_knob_too
      convoy = {"Light#show" => [0.9, 2, 8, 6], "Heavy#show" => [0.1, 250, 10, 1]}
      found = recommendation(shapes: convoy, rate: 20.0, slices: true, vcpus: 1.0)
      assert_operator found.best.candidate.time_slice_ns, :<, 100 * MB
      refute_empty found.predictions.select { |one| one.candidate.time_slice_ns == 10 * MB }
    end

    one_ruby def test_cost_wants_less_of_the_same
      found = recommendation(processes: 2, threads: 5, rate: 5.0, limits: {process_bytes: 300 * MB},
        objective: Objective.new(name: :cost, slo: Slo.parse("p95=300ms")))
      assert_equal :change, found.verdict
      assert_equal 1, found.best.candidate.processes
    end

    one_ruby def test_jobs_get_the_fewest_threads_that_do_nearly_all
      io = {"SyncJob" => [1.0, 5, 45, 6]}
      more = recommendation(kind: :job, shapes: io, rate: 15.0, threads: 3,
        objective: Objective.new(name: :throughput))
      assert_equal :change, more.verdict
      assert_includes 11..14, more.best.candidate.threads
      cpu = {"ReportJob" => [1.0, 50, 5, 6]}
      fewer = recommendation(kind: :job, shapes: cpu, rate: 5.0, threads: 10,
        objective: Objective.new(name: :throughput))
      assert_equal [:change, 1], [fewer.verdict, fewer.best.candidate.threads]
    end

    one_ruby def test_the_same_seed_is_the_same_answer
      one, two = Array.new(2) { recommendation }
      assert_equal [one.best, one.interval], [two.best, two.interval]
    end
  end
end
