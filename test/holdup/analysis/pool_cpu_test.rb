# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# A Sidekiq with two capsules that uses half a CPU for three minutes: 90 s in all.
class Holdup::Analysis::PoolCpuTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new(units: {"PdfJob" => {ms: {cpu: 9}, acquisitions: 2, units: 5, blame: 1}},
    kind: :job, queue: "pdf", accounts: {})

  def window(name, kind, queue: nil, seconds: 0, **more)
    SAMPLE.window(name, kind:, queue:, sums: {cpu_ns: seconds * 600 * MS, native_ns: seconds * 400 * MS},
**more)
  end

  def lines(*windows, samples: SampleProcesses.new(SAMPLE, servers: {"sidekiq" => 1}).to_a)
    Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s, samples:).pool_cpu
  end

  def said(...)
    lines(...).map { |line| [line.kind, line.name, line.units, line.cpu_share.round(3)] }
  end

  def test_pools_have_what_their_units_used_and_the_rest_is_outside
    jobs = [window("A", :job, queue: "low", seconds: 18, count: 3),
      window("B", :job, queue: "pdf", seconds: 36, count: 1)]
    pools = [window("default", :pool, queue: "low", seconds: 18, count: 3),
      window("pdf", :pool, queue: "pdf", seconds: 36, count: 1)]
    assert_equal [[:pool, "pdf", 1, 0.2], [:pool, "default", 3, 0.1], [:outside, nil, nil, 0.2]],
      said(*jobs, *pools)
  end

  def test_a_pool_with_several_queues_is_one
    pools = %w[low high].map { |queue| window("default", :pool, queue:, seconds: 9, count: 2) }
    assert_equal [:pool, "default", 4, 0.1], said(*pools).first
  end

  def test_jobs_of_an_unknown_pool
    assert_equal [[:unknown, nil, nil, 0.1], [:outside, nil, nil, 0.4]],
      said(window("A", :job, seconds: 18, count: 3))
  end

  def test_requests_are_the_web_pool_and_jobs_inside_of_them_count_once
    inside = [window("A", :job, seconds: 9, count: 1), window("(nested)", :nested, seconds: 9, count: 1)]
    assert_equal [[:pool, "web", 7, 0.3], [:outside, nil, nil, 0.2]],
      said(window("GET /", :request, seconds: 54, count: 7), *inside)
  end

  def test_reports_nothing_without_samples
    assert_empty lines(window("default", :pool, seconds: 9, count: 2), samples: [])
  end
end
