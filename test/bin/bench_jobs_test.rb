# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../benchmark/support/recording_grades"
require_relative "../../benchmark/support/tracker/compared_setting"
require_relative "../../benchmark/support/tracker_jobs/job_deck"
require_relative "../../benchmark/support/tracker_jobs/job_measurements"
require_relative "../support/example_units"

# The jobs that bin/bench runs, and the rows of its tables.
class BenchJobsTest < Minitest::Test
  MS = 1_000_000

  def test_each_pass_through_the_jobs_has_the_exact_shares
    names = Bench::JobDeck.new(Bench::JobDeck::ALL).take(20).map(&:first)
    assert_equal Bench::JobDeck::ALL.to_h { |kind| [kind.name, kind.weight] }.sort, names.tally.sort
  end

  def test_the_same_seed_gives_the_same_jobs
    first, again, other = [1, 1, 2].map { |seed| Bench::JobDeck.new(Bench::JobDeck::ALL, seed:).take(40) }
    assert_equal first, again
    refute_equal first, other
  end

  def test_every_class_of_jobs_is_in_the_application
    files = Dir[File.expand_path("../../benchmark/database_app/jobs/*_job.rb", __dir__)]
    classes = files.map { |file| File.basename(file, ".rb").split("_").map(&:capitalize).join }
    assert_empty Bench::JobDeck::ALL.map(&:name) - classes
  end

  def test_a_job_with_a_full_queue_waits_only_for_the_gvl
    times = seen([{stalled_ns: 2 * MS, queued_ns: 900 * MS}, {stalled_ns: 4 * MS, queued_ns: 0}])
      .times(queued: false)
    assert_equal [3 * MS, 31 * MS, 32 * MS], times.values_at(:wait_ns, :response_ns, :p95_ns)
  end

  def test_the_queue_counts_where_jobs_come_on_their_own
    times = seen([{stalled_ns: 2 * MS, queued_ns: 8 * MS}]).times(queued: true)
    assert_equal [10 * MS, 38 * MS], times.values_at(:wait_ns, :response_ns)
  end

  def test_throughput_is_of_the_phase
    assert_in_delta 1.5, seen([{}] * 6).throughput
  end

  def test_a_phase_without_such_units_is_a_failure
    assert_raises(Bench::Failure) { seen([{}]).only { false } }
  end

  def test_a_miss_is_caught_when_the_advice_doubted_itself
    row = row(predicted: figures(throughput: 12.0))
    assert_equal "missed: throughput", row.cells(caught: false).last
    assert_equal "caught: throughput", row.cells(caught: true).last
  end

  def test_what_two_boots_of_a_setting_do_not_agree_on_judges_no_prediction
    row = row(predicted: figures(throughput: 12.0))
    assert_equal "chance: throughput", row.cells(caught: false, chance: [:throughput]).last
    assert_equal "missed: throughput", row.cells(caught: false, chance: [:p95]).last
  end

  def test_a_row_has_a_cell_for_each_column
    assert_equal Bench::ComparedSetting.columns("threads", "job").size, row.cells(caught: false).size
  end

  def test_the_recorded_setting_shows_how_much_slower_the_machine_is
    slower = figures(throughput: 8.0).with(response_ns: 200.0 * MS * 1.1**3)
    found = Bench::MachineRatios.of(slower, open: true) { |ratios| waiting(**ratios) }
    assert_in_delta 1.25, found.saturated
    assert_in_delta 1.1, found.slower, 0.01
    assert_in_delta 1.25, Bench::MachineRatios.of(slower, open: false) { figures }.slower
  end

  def test_boots_of_a_setting_are_averaged
    mean = Bench::SettingFigures.mean([figures(throughput: 9.0), figures(throughput: 10.0)])
    assert_in_delta 9.5, mean.throughput
    assert_in_delta 400.0 * MS, mean.p95_ns
  end

  def test_a_slower_machine_is_corrected
    row = row(predicted: figures(throughput: 12.0), saturated: 1.2)
    assert_in_delta 0.2, row.raw.errors[:throughput]
    assert_in_delta 0.0, row.corrected.errors[:throughput]
    assert_equal "ok", row.cells(caught: false).last
  end

  def test_alike_recordings_have_one_grade
    assert_equal "A", grades([:a], [:a]).to_s
    assert_equal "B: constant_load", grades([:b, :constant_load], [:b, :constant_load]).to_s
  end

  def test_unlike_recordings_have_their_grades_and_the_most_frequent_reason_first
    found = grades([:a], [:b, :chance, :growth], [:b, :growth], nil)
    assert_equal "1 A, 2 B, 1 none: growth, chance", found.to_s
  end

  def test_a_prediction_is_caught_when_the_advice_doubts_most_recordings
    assert_equal "ok", grades([:b, :growth]).verdict_of_throughput(-4.9, 5.0)
    assert_equal "caught: throughput", grades([:a], [:b, :x], [:c, :x]).verdict_of_throughput(-5.1, 5.0)
    assert_equal "missed: throughput", grades([:a], [:b, :growth]).verdict_of_throughput(5.1, 5.0)
  end

  def test_a_recording_that_is_too_short_has_doubted_nothing
    assert_equal "missed: wait, p95", grades(nil).verdict(%i[wait p95])
  end

  def test_errors_of_self_tests_are_medians
    errors = [{wait: 0.01}, {wait: 0.3}, {wait: 0.02}]
    assert_equal "wait +2.0 %", grades([:a], [:a], [:a], errors:).errors
  end

  private

  SelfTestSaid = Data.define(:grade, :reasons, :errors)
  AdvisedBench = Data.define(:self_test)
  private_constant :SelfTestSaid, :AdvisedBench

  # @param found [Array<Array<Symbol>, nil>] grade and reasons of each recording
  def grades(*found, errors: [])
    advices = found.each_with_index.map do |(grade, *reasons), index|
      test = SelfTestSaid.new(grade:, reasons:, errors: errors.fetch(index, {}))
      AdvisedBench.new(self_test: test) if grade
    end
    Bench::RecordingGrades.new(advices)
  end

  def seen(units)
    unit_samples = units.map { |unit| ExampleUnits.unit_sample(kind: :job, **unit) }
    phase = Bench::TrackerTrial::LoadPhase.new(value: nil, cpu_s: 1.0, beside_s: 0.0, span: 10.0..14.0)
    Bench::SeenUnits.new(unit_samples, phase)
  end

  def figures(throughput: 10.0)
    Bench::SettingFigures.new(throughput:, wait_ns: 50.0 * MS, response_ns: 200.0 * MS, p95_ns: 400.0 * MS)
  end

  # Waits grow faster than the machine gets slower.
  def waiting(slower: 1.0)
    figures.with(response_ns: 200.0 * MS * slower**3)
  end

  # @param saturated [Float] how much slower the machine was
  def row(predicted: figures, saturated: 1.0)
    cost = Bench::TrackerTrial::CostOfRequest.new(cpu_ns: 30.0 * MS, calibration_ns: 10.0 * MS)
    measured = Bench::MeasuredUnits.new(size: [5], units: "jobs", rate: 0.0, figures:, saturated: cost,
      open: cost)
    Bench::ComparedSetting.of(measured, Bench::MachineRatios.new(saturated:, slower: 1.0)) do |ratios|
      ratios.empty? ? predicted : predicted.with(throughput: predicted.throughput / ratios.fetch(:saturated))
    end
  end
end
