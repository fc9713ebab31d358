# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What a report says of jobs, processes and their machine.
class Holdup::Report::Sections::ProcessesTest < Minitest::Test
  JOBS = {"PdfJob" => {ms: {cpu: 400, stalled: 30}, acquisitions: 4, units: 40, blame: 81},
          "MailJob" => {ms: {cpu: 5, stalled: 60, io: 40}, acquisitions: 9, units: 200, blame: 9}}.freeze

  def jobs(queue: "default")
    SampleWindows.new(units: JOBS, kind: :job, queue:, accounts: {})
  end

  def text(sample = jobs, language: "en",
    samples: SampleProcesses.new(sample, vcpus: 2.0,
      servers: {"sidekiq" => 1}).to_a, extra: [], limit: 15, **view)
    summary = Holdup::Analysis::Summary.new(sample.to_a + extra, from_s: sample.from_s, to_s: sample.to_s,
      samples:, pairs: sample.pairs, **view)
    Holdup::View::Text.new(
      Holdup::Report::FullReport.new(summary, words: Holdup::View::Words.new(language), zone: "UTC",
        limit:).page
    ).call
  end

  def flat(...) = text(...).gsub(/\s+/, " ")

  def test_the_sentence_about_the_ceiling
    assert_includes flat(samples: container(used: 0.5)),
      "2 vCPUs, 1 process: CPU can never pass 50-55 %; an autoscaling target of 60 % never fires; " \
      "at least 0.9 vCPUs are always idle."
    refute_includes text(samples: SampleProcesses.new(jobs, vcpus: 1.0, servers: {"sidekiq" => 1}).to_a),
      "can never pass"
    refute_includes flat(samples: container(used: 1.6)), "can never pass", "others use what these can't"
  end

  def test_the_host_is_named_where_there_are_several
    samples = container(used: 0.5) + container(used: 0.5, host: "job-2", vcpus: 4.0)
    assert_includes flat(samples:),
      "On host job-2: 4 vCPUs, 1 process: CPU can never pass 25-28 %; " \
      "an autoscaling target of 30 % never fires; at least 2.9 vCPUs are always idle."
    assert_includes text(samples:), "host job-2, pid 700"
  end

  def test_who_stalled_whom
    said = flat
    assert_match(/PdfJob caused 89 % of the GVL wait of MailJob\./, said)
    assert_match(/^PdfJob -> MailJob +89\.1 +\d+\.\d s/, text)
    refute_includes text(SampleWindows.new(units: JOBS.slice("PdfJob"), accounts: {})), "Who made whom wait"
  end

  def test_queues_with_capacity
    assert_match(/^default +720 +4\.00 .* 5\.\d %$/, text(by: :queue))
    assert_match(/^default +720 .* -$/, text(by: :queue, samples: []))
  end

  def views(kind, names)
    names.map { |name, count|
      jobs.window(name, kind:, count:, sums: {cpu_ns: count * 100_000_000},
        histograms: {queued: Holdup::Histogram.of([count * 1_000_000] * count)})
    }
  end

  def test_by_priority
    report = text(by: :priority, filter: Holdup::Analysis::UnitFilter.new(kind: :job),
      extra: views(:priority, {"1" => 100, "10" => 600}))
    assert_match(/^1 \[default\] +100 +0\.56 +100 ms .*\n10 \[default\] +600 +3\.33 +600 ms /, report)
    assert_includes report.gsub(/\s+/, " "), "Jobs without a priority, not in these rows: 20."
  end

  def test_the_cpu_of_each_pool
    report = text(extra: views(:pool, {"default" => 180, "pdf" => 360}))
    assert_match(/^sidekiq pdf +360 +20\.0 +10\.0$/, report)
    assert_match(/^sidekiq \(outside requests and jobs\) /, report)
    assert_includes text(language: "ja", extra: views(:pool, {"default" => 180})), "これらのスレッドの CPU"
    refute_includes text(samples: []), "CPU of these threads"
  end

  def test_requests_and_jobs_without_a_queue_are_not_one_row
    report = text(by: :queue, extra: SampleWindows.new.to_a + jobs(queue: nil).to_a)
    ["(requests)", "(jobs without a queue)", "default"].each { |name|
      assert_match(/^#{Regexp.escape(name)} /, report)
    }
  end

  def test_processes_and_their_threads
    report = text(SampleWindows.new, samples: SampleProcesses.new.to_a)
    assert_match(/^puma: 2 +110 +27\.5 +6\.00 +10 +500 MB +280 MB +180 MB$/, report)
    assert_match(/^  worker 1 +60\.0 +15\.0 +7\.7 +3\.00 +5 +250 MB/, report)
    assert_match(/^sidekiq default +1 +10 +9\.00 +90\.0 +40\.0 +40 +3\.00 s$/, report)
    assert_includes report.gsub(/\s+/, " "),
      "800 MB of memory used of 2.00 GB; CPU quota stopped it in 10.0 % of its periods"
    refute_match(/db primary/, report)
  end

  # On pages there is room for it.
  def test_more_of_each_process
    sample = SampleWindows.new(setting: SampleWindows::SETTING.merge("jit_effective" => true))
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
      samples: with_jit(SampleProcesses.new(sample).to_a))
    words = Holdup::View::Words.new("en")
    section = Holdup::Report::Sections::Processes::WorkerTable.new(summary, words:, limit: 15).call
    more = section.rows.to_h { |name, *cells| [name.strip, cells.last(4)] }
    assert_equal ["wait GVL", "GC %", "JIT", "age"], section.columns.last(4)
    assert_equal ["2.00", "1.0", "yjit, warm, full, works", "180 s"], more["worker 0"]
    assert_equal ["4.00", "1.0", "", ""], more["puma: 2"]
    assert_equal [section.columns.size], section.rows.map(&:size).uniq
  end

  def with_jit(samples)
    samples.reject { |sample| sample[:pid].zero? }.map do |sample|
      sample.merge(waiting_threads: 2, gc_time_ns: (sample[:at_s] - sample[:since_s]) * 10_000_000,
        "jit.kind": "yjit", jit_saturated: 1, jit_warm_ns: 5)
    end
  end

  def test_how_far_away_redis_is
    assert_includes flat, "Redis: the round trip of a command of sidekiq takes 350 us (median)."
    refute_includes text(SampleWindows.new, samples: SampleProcesses.new(servers: {"puma" => 2}).to_a),
      "Redis"
  end

  def test_no_samples_no_sections
    report = text(samples: [])
    ["Processes", "Threads that take requests and jobs", "can never pass"].each do |part|
      refute_includes report, part
    end
  end

  def test_one_sample_is_no_share
    samples = container(used: 0.5).select { |sample| sample[:at_s] == SampleWindows::START_S }
    assert_match(/^  pid 700 +- +- +- /, text(samples:))
    assert_includes flat(samples:), " Host web-1 has 2 vCPUs; "
  end

  def test_many_processes_are_cut
    report = text(samples: SampleProcesses.new(jobs, servers: {"puma" => 20}).to_a, limit: 4)
    assert_equal 4, report.scan(/^  worker/).size
    assert_includes report, "... and 16 more (--limit)"
  end

  def test_fits_in_80_columns
    units = JOBS.transform_keys { |name| "Admin::Reporting::Quarterly::#{name * 9}" }
    long = SampleWindows.new(units:, kind: :job, queue: "q" * 64)
    hosts = SampleProcesses.new(host: "ip-10-0-137-22.eu-central-1.compute.internal").to_a
    [jobs, long].product(%w[en ja], %i[name queue setting]).each do |sample, language, by|
      text(sample, language:, by:,
        samples: SampleProcesses.new(sample).to_a + hosts).each_line(chomp: true) do |line|
        assert_operator Holdup::View::Width.of(line), :<=, 80, "#{language}: #{line}"
      end
    end
  end

  private

  # One Sidekiq that uses half a CPU in a container that uses so many.
  def container(used:, host: "web-1", vcpus: 2.0)
    SampleProcesses.new(jobs, vcpus:, servers: {"sidekiq" => 1}, host:).to_a.each do |sample|
      sample[:cpu_ns] = ((sample[:at_s] - SampleWindows::START_S) * used * 1e9).round if sample[:pid].zero?
    end
  end
end
