# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jobs::JobOutcomeTest < Minitest::Test
  MS = 1_000_000
  Step = Data.define(:round, :threads, :again)

  def sample = @sample ||= SampleWindows.new(kind: :job)

  # Ten jobs in 2 s with two threads: each 100 ms of which it held 30 and stalled 20. The threads outside held
  # 400 ms and stalled 100 in all.
  def windows
    ms = {wall: 100, running: 30, stalled: 20, idle: 50}
    histograms = ms.transform_values { |one| Holdup::Histogram.of([one * MS] * 10) }
    outside = {running: 400, stalled: 100}.transform_values { |one| Holdup::Histogram.of_sum(one * MS) }
    [
      sample.window("MailJob", count: 10, errors: 1, histograms:,
        sums: {cpu_ns: 250 * MS, lock_ns: 50 * MS, acquisitions: 40}),
      sample.window("thread:fetcher", kind: :account, queue: nil, histograms: outside,
        sums: {lock_ns: 30 * MS, acquisitions: 20}),
      sample.window("GET /", kind: :request, count: 99)
    ]
  end

  def outcome(threads: 2, unit_samples: [])
    Holdup::Lab::Jobs::JobOutcome.new(threads:, seconds: 2.0, windows:, unit_samples:)
  end

  def test_counts_jobs_and_nothing_else
    assert_equal 10, outcome.count
    assert_equal 1, outcome.errors
    assert_in_delta 5.0, outcome.throughput
    kinds = %i[job request].map { |kind| ExampleUnits.unit_sample(kind:) }
    assert_equal [:job], outcome(unit_samples: kinds).unit_samples.map { |one| one.series.kind }
  end

  def test_means_are_of_sums_and_of_histograms
    assert_in_delta 20 * MS, outcome.mean(:stalled), 1
    assert_in_delta 5 * MS, outcome.mean(:lock_ns), 1
    assert_in_delta 4, outcome.mean(:acquisitions)
    assert_equal 10, outcome.walls.count
  end

  # 300 ms in jobs and 400 ms outside, of 2 s.
  def test_the_gvl_is_held_in_jobs_and_outside
    assert_in_delta 0.35, outcome.gvl_share, 1e-6
  end

  # A thread has 400 ms for each job: 100 of it in the job, and outside 40 held, 10 stalled, 3 locked.
  def test_what_threads_do_between_two_jobs
    between = outcome.between
    assert_in_delta 40 * MS, between.held_ns, 1
    assert_in_delta 247 * MS, between.idle_ns, 1
    assert_in_delta 2, between.acquisitions
    assert_in_delta 0, outcome(threads: 0).between.idle_ns, 1e-9, "it is never less than nothing"
  end

  def test_waits_for_locks_count_in_jobs_and_between_them
    assert_in_delta 8 * MS * 5.0 / 2 / 1e9, outcome.lock_share, 1e-9
    assert_in_delta 30 * MS, outcome.waits.wait_ns, 1
  end

  def test_no_job_that_ended_is_no_error
    nothing = Holdup::Lab::Jobs::JobOutcome.new(threads: 2, seconds: 2.0, windows: [], unit_samples: [])
    assert_equal 0, nothing.throughput
    assert_equal 0, nothing.mean(:wall)
  end

  # A file has the measurement until the report.
  def test_a_measurement_survives_its_file
    step = Step.new(round: 1, threads: 5, again: false)
    played = Holdup::Lab::Jobs::JobOutcome::JobsMeasurement.of(PlayedJobs.new.outcome(5), step,
      concurrency: [1, 20]).with(setting: {"sidekiq_version" => "8.0"})
    read = JSON.parse(JSON.generate(played.to_h), symbolize_names: true)
    again = Holdup::Lab::Jobs::JobOutcome::JobsMeasurement.from(read)
    assert_equal played.to_h.except(:again), again.to_h.except(:again)
    assert_equal played.expect(20), again.expect(20)
    assert_nil again.expect(7)
    assert_equal played.mean(:wall), again.mean(:wall)
  end

  # The closed model and the replay know what Amdahl's law ignores.
  def test_predicts_more_jobs_with_more_threads_until_the_gvl_is_full
    forecast = Holdup::Lab::Jobs::JobOutcome::JobForecast.new(PlayedJobs.new.outcome(5))
    few, many = [1, 20].map { |threads| forecast.replay(threads) }
    assert_operator many, :>, 2 * few
    assert_operator forecast.amdahl(20), :<=, forecast.closed(20)
  end
end
