# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::PoolsTest < Minitest::Test
  Pools = Holdup::Report::Sections::Pools
  MS = 1_000_000
  START_S = SampleWindows::START_S

  def sample = @sample ||= SampleWindows.new

  def summary(windows = sample.to_a, samples: SampleProcesses.new(sample).to_a, to_s: START_S + 180,
    **options)
    Holdup::Analysis::Summary.new(windows, samples:, from_s: START_S, to_s:, **options)
  end

  def section(kind, of = summary, limit: 10)
    kind.new(of, words: Holdup::View::Words.new, limit:).call
  end

  # `wait`: milliseconds before the start
  def job(name, queue: nil, count: 60, wait: 40)
    histograms = {wall: 100, queued: wait}.transform_values { |ms| Holdup::Histogram.of([ms * MS] * count) }
    sample.window(name, kind: :job, queue:, count:, histograms:, sums: {cpu_ns: 100 * MS * count})
  end

  def test_threads_of_each_pool_those_with_most_waiting_first
    rows = section(Pools::PoolTable).rows
    assert_equal ["sidekiq default", "1", "10", "9.00", "90.0", "40.0", "40", "3.00 s"], rows[0]
    assert_equal ["puma web", "2", "10", "6.00", "60.0", "2.00", "1", "-"], rows[1]
    assert_equal ["sidekiq pdf", "1", "1", "1.00", "100", "-", "-", "-"], rows[2]
    assert_equal 3, rows.size, "pools of connections have a table of their own"
  end

  def test_no_table_of_threads_where_no_server_reports_them
    assert_nil section(Pools::PoolTable, summary(samples: []))
    assert_nil section(Pools::PoolCpuTable, summary(samples: []))
  end

  def test_cpu_of_a_pool_is_also_a_share_of_the_containers
    row = section(Pools::PoolCpuTable).rows.find { |name, *| name == "puma web" }
    units, of_core, of_all = row.drop(1)
    assert_equal "2,220", units
    assert_in_delta of_core.to_f / 4, of_all.to_f, 0.05
  end

  def test_cpu_has_no_share_of_all_where_processes_are_in_several_containers
    hosts = %w[web-1 web-2].flat_map { |host| SampleProcesses.new(sample, host:).to_a }
    shares = section(Pools::PoolCpuTable, summary(samples: hosts)).rows.map(&:last)
    assert_equal ["-"], shares.uniq
  end

  def test_how_long_jobs_wait_for_a_thread
    found = section(Pools::QueueTable, summary([job("MailJob")], to_s: START_S + 60))
    assert_equal ["MailJob", "60", "1.00", "40.0 ms", "40.0 ms", "40.0 ms"], found.rows.first.first(6)
    assert_equal 1, found.notes.size
  end

  def test_requests_have_a_table_of_queues_only_where_the_capacity_is_known
    request = sample.window("Orders#index", count: 1, histograms: {wall: Holdup::Histogram.of([MS])})
    unknown = [request.with(setting: Holdup::Setting.new(attributes: {"ruby" => "3.4.5"}))]
    assert_nil section(Pools::QueueTable, summary(unknown, samples: []))
    refute_nil section(Pools::QueueTable, summary([request]))
    refute_nil section(Pools::QueueTable, summary(unknown, samples: [], by: :queue))
  end

  def test_says_how_many_jobs_have_no_priority
    jobs = [job("MailJob", count: 60), job("PdfJob", queue: "low", count: 20)]
    notes = section(Pools::QueueTable, summary(jobs, by: :priority)).notes
    assert_includes notes.join(" "), Holdup::View::Words.new.call(:without_priority, count: "80")
    named = section(Pools::QueueTable, summary(jobs, by: :name)).notes
    refute_includes named.join(" "), Holdup::View::Words.new.call(:priorities_note)
  end
end
