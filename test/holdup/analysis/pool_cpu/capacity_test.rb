# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Ten threads for the queue "default" and one for "pdf", in one process, for three minutes.
class Holdup::Analysis::PoolCpu::CapacityTest < Minitest::Test
  SAMPLE = SampleWindows.new(units: {"MailJob" => {ms: {cpu: 9}, acquisitions: 2, units: 5, blame: 1}},
    kind: :job, queue: "default", accounts: {})
  MINUTE_NS = 60_000_000_000

  def busy(name, kind, queue, minutes)
    SAMPLE.window(name, kind:, queue:, count: 1,
      histograms: {wall: Holdup::Histogram.of([minutes * MINUTE_NS])})
  end

  def summary(windows, **options)
    Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s,
      samples: SampleProcesses.new(SAMPLE, servers: {"sidekiq" => 1}).to_a, **options)
  end

  def jobs
    [busy("MailJob", :job, "default", 15), busy("PdfJob", :job, "pdf", 3)]
  end

  def pools
    [busy("default", :pool, "default", 15), busy("pdf", :pool, "pdf", 3)]
  end

  def shares(summary)
    summary.rows.to_h { |row| [row.name, summary.capacity_share(row).round(3)] }
  end

  def test_a_queue_counts_the_threads_of_the_pools_that_ran_it
    assert_equal({"default" => 0.5, "pdf" => 1.0}, shares(summary(jobs + pools, by: :queue)))
    assert_equal({"MailJob" => 0.5, "PdfJob" => 1.0}, shares(summary(jobs + pools)))
  end

  def test_all_jobs_count_the_threads_of_all_these_pools
    all = summary(jobs + pools)
    assert_in_delta 18.0 / 33, all.capacity_share(all.total)
    pdf = summary(jobs + pools, filter: Holdup::Analysis::UnitFilter.new(queue: "pdf"))
    assert_in_delta 1.0, pdf.capacity_share(pdf.total)
  end

  def test_a_queue_that_two_pools_run_has_the_threads_of_both
    assert_in_delta 15.0 / 33, shares(summary(jobs + pools + [busy("pdf", :pool, "default", 1)]))["MailJob"],
      0.001
  end

  def test_without_knowing_the_pool_all_threads_for_jobs_count
    assert_equal({"default" => 0.455, "pdf" => 0.091}, shares(summary(jobs, by: :queue)))
  end
end
