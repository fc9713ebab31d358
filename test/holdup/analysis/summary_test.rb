# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SummaryTest < Minitest::Test
  Summary = Holdup::Analysis::Summary
  Filter = Holdup::Analysis::UnitFilter

  def setup
    @sample = SampleWindows.new
  end

  def summary(windows = @sample.to_a, **options)
    Summary.new(windows, from_s: @sample.from_s, to_s: @sample.to_s, **options)
  end

  def test_rows_are_the_merged_windows_of_each_name
    rows = summary.rows
    assert_equal SampleWindows::STOREFRONT.keys.sort, rows.map(&:name).sort
    assert_equal [900, 240],
      %w[ProductsController#index ReportsController#sales].map { |name| row(rows, name).count }
  end

  def test_the_total_is_the_sum_of_the_rows
    all = summary
    assert_equal all.rows.sum(&:count), all.total.count
    assert_equal all.rows.sum(&:errors), all.total.errors
    Holdup::Window::SUMS.each do |key|
      assert_equal all.rows.sum { |row| row.sum(key) }, all.total.sum(key), key
    end
    Holdup::Window::HISTOGRAMS.each do |key|
      assert_equal all.rows.sum { |row| row.histogram(key).sum }, all.total.histogram(key).sum, key
    end
  end

  def test_the_split_adds_up_to_the_elapsed_time
    summary.rows.each { |row| assert_equal row.wall_ns, row.split.total, row.name }
  end

  def test_quantiles_are_those_of_all_units
    all = summary
    units = @sample.to_a.select { |window| window.series.unit? }
    merged = Holdup::Histogram.sum(units.map { |window| window.histograms[:wall] })
    assert_equal merged.quantile(0.95), all.total.histogram(:wall).quantile(0.95)
  end

  def test_rows_are_sorted_by_what_was_asked_for
    %i[stalled caused wall count].each do |sort|
      values = summary(sort:).rows.map(&Holdup::Analysis::SeriesRow::Grouping::SORT[sort])
      assert_equal values.sort.reverse, values, sort
    end
  end

  def test_caused_and_handoff_are_what_was_suffered
    blame = summary.blame
    assert_equal blame.suffered_ns, blame.caused_ns + blame.handoff_ns
    assert_equal "ReportsController#sales", blame.main_cause.name
    assert_equal ["main"], blame.accounts.map(&:name)
  end

  # A process without work, whose threads wait for each other and for their wake-up.
  def idle
    setting = Holdup::Setting.new(attributes: SampleWindows::SETTING.merge("server" => "sidekiq"))
    stalled = Holdup::Histogram.of_sum(60_000_000_000)
    [@sample.window("thread:processor", kind: :account, queue: nil, setting:, histograms: {stalled:},
      sums: {caused_ns: 20_000_000_000}),
      @sample.window("(handoff)", kind: :account, queue: nil, setting:, sums: {caused_ns: 40_000_000_000})]
  end

  def test_the_stall_of_idle_threads_changes_no_headline
    alone, beside = summary, summary(@sample.to_a + idle)
    assert_operator beside.blame.suffered_ns, :>, 2 * alone.blame.suffered_ns
    assert_equal alone.blame.units_suffered_ns, beside.blame.units_suffered_ns
    answers = [alone, beside].map { |one| Holdup::Analysis::StallVerdict.new(one).call }
    assert_equal(*answers.map(&:key))
    assert_in_delta(*answers.map { |answer| answer.facts[:share] }, 1e-6)
    assert_in_delta(*[alone, beside].map { |one| one.blame.caused_share(one.blame.series.last) }, 1e-6)
  end

  def test_a_filter_narrows_rows_and_total_but_not_the_blame
    reports = summary(filter: Filter.new(name: "Reports*"))
    assert_equal ["ReportsController#sales"], reports.rows.map(&:name)
    assert_equal 240, reports.total.count
    assert_equal summary.blame.suffered_ns, reports.blame.suffered_ns
  end

  def test_who_has_a_gvl_of_its_own_is_not_to_blame
    jobs = SampleWindows.new(
      units: {"Report" => {ms: {cpu: 5, stalled: 8}, acquisitions: 4, units: 30, blame: 1}},
      kind: :job,
      queue: "low",
      setting: SampleWindows::SETTING.merge("server" => "sidekiq")
    ).to_a
    assert_equal "ReportsController#sales", summary(@sample.to_a + jobs).blame.main_cause.name
    blame = summary(@sample.to_a + jobs, filter: Filter.new(kind: :job)).blame
    assert_equal ["Report"], blame.series.map(&:name)
    assert_in_delta 0, blame.gap, 1e-9
    assert_equal blame.suffered_ns, summary(jobs).blame.suffered_ns
  end

  def test_filters_by_kind_and_queue
    jobs = SampleWindows.new(units: {"ReportJob" => {ms: {cpu: 9}, acquisitions: 2, units: 5, blame: 1}},
      kind: :job, queue: "low").to_a
    windows = @sample.to_a + jobs
    assert_equal ["ReportJob"], summary(windows, filter: Filter.new(kind: :job)).rows.map(&:name)
    assert_equal 15, summary(windows, filter: Filter.new(queue: "low")).total.count
    assert_equal 0, summary(windows, filter: Filter.new(queue: "high")).total.count
    assert_equal %i[unit job request], [summary(windows), summary(jobs), summary].map(&:unit_kind)
  end

  def test_filters_by_the_number_of_threads
    three = SampleWindows.new(minutes: 1, setting: SampleWindows::SETTING.merge("threads" => 3)).to_a
    assert_equal 740, summary(@sample.to_a + three, filter: Filter.new(threads: 3)).total.count
    assert_equal 2220, summary(@sample.to_a + three, filter: Filter.new(threads: 5)).total.count
  end

  def test_settings_are_named_by_what_differs
    three = SampleWindows.new(minutes: 1, setting: SampleWindows::SETTING.merge("threads" => 3)).to_a
    rows = summary(@sample.to_a + three, by: :setting).rows
    assert_equal ["threads=3", "threads=5"], rows.map { |row| row.name.split.last }.sort
    assert_equal [740, 2220], rows.map(&:count).sort
  end

  def test_by_queue_and_by_process
    jobs = SampleWindows.new(units: {"A" => {ms: {cpu: 9}, acquisitions: 2, units: 5, blame: 1}}, kind: :job,
      queue: "low").to_a
    assert_equal ["-", "low"], summary(@sample.to_a + jobs, by: :queue).rows.map(&:name).sort
    process = @sample.window("worker 0", kind: :process, count: 7)
    assert_equal [["worker 0", 7]],
      summary(@sample.to_a + [process], by: :process).rows.map { |row| [row.name, row.count] }
  end

  def test_by_priority_within_each_queue
    views = [["others", "low", 9], ["10", "low", 4], ["2", "low", 3],
      ["1", "high", 5]].map { |name, queue, count|
      @sample.window(name, kind: :priority, queue:, count:)
    }
    rows = summary(@sample.to_a + views, by: :priority, filter: Filter.new(kind: :job)).rows
    assert_equal [["1", "high", 5], ["2", "low", 3], ["10", "low", 4], ["others", "low", 9]],
      rows.map { |row| [row.name, row.queue, row.count] }
    assert_equal [3, 4, 9],
      summary(views, by: :priority, filter: Filter.new(kind: :job, queue: "low")).rows.map(&:count)
    assert_equal 2220, summary(@sample.to_a + views).total.count, "they are in the totals already"
  end

  def test_nested_units_count_once_in_the_totals
    plain = summary
    nested = @sample.window(
      "(nested)",
      kind: :nested,
      queue: nil,
      count: 3,
      sums: {cpu_ns: 1000, caused_ns: 70},
      histograms: {wall: Holdup::Histogram.of_sum(1700), stalled: Holdup::Histogram.of_sum(700)}
    )
    netted = summary(@sample.to_a + [nested])
    assert_equal plain.total.count, netted.total.count
    assert_equal plain.total.wall_ns - 1700, netted.total.wall_ns
    assert_equal plain.total.sum(:cpu_ns) - 1000, netted.total.sum(:cpu_ns)
    assert_equal plain.blame.suffered_ns - 700, netted.blame.suffered_ns
    assert_equal plain.blame.caused_ns - 70, netted.blame.caused_ns
  end

  def test_no_share_is_above_the_whole_while_one_column_lags_behind
    early = @sample.window("early", kind: :request, count: 1, sums: {caused_ns: 10**12},
      histograms: {wall: Holdup::Histogram.of_sum(10**12)})
    blame = summary(@sample.to_a + [early]).blame
    assert_operator blame.caused_share(blame.main_cause), :<=, 1.0
    assert_in_delta 1.0, blame.gap, 0.1
  end

  def test_nothing_measured
    none = summary([])
    assert_predicate none, :empty?
    assert_empty none.rows
    assert_equal 0, none.blame.suffered_ns
    assert_in_delta 0.0, none.blame.gap
  end

  def test_throughput_is_over_the_time_with_units
    wide = Summary.new(@sample.to_a, from_s: @sample.from_s - 3600, to_s: @sample.to_s + 3600)
    assert_equal [@sample.from_s, @sample.to_s], [wide.measured_from_s, wide.measured_to_s]
    assert_in_delta 2220 / 180.0, wide.throughput
  end

  def test_overflowed_units_are_counted_and_reported
    overflow = @sample.window("(series beyond the limit)", kind: :overflow, count: 9)
    all = summary(@sample.to_a + [overflow])
    assert_equal 9, all.overflowed
    assert_equal 2229, all.total.count
  end

  NOTHING_READ = Holdup::Analysis::SummaryParts.unread.freeze

  def test_an_answer_from_a_part_that_was_not_read_raises
    windows_only = summary(**NOTHING_READ)
    refute_empty windows_only.rows
    error = assert_raises(Summary::NotRead) { windows_only.calls }
    assert_includes error.message, "the part calls of the summary was not read"
    %i[processes jits coverage pairs repeated_queries holding_methods heap_growth].each do |answer|
      assert_raises(Summary::NotRead, answer) { windows_only.public_send(answer) }
    end
  end

  def test_a_part_that_is_read_later_is_added
    windows_only = summary(**NOTHING_READ)
    total = windows_only.total
    samples = SampleProcesses.new(@sample).to_a
    more = windows_only.with(samples:)
    assert more.read?(:samples)
    refute more.read?(:samples, :coverage)
    refute windows_only.read?(:samples), "the summary without it stays as it was"
    assert_same total, more.total, "it is not added up again"
    assert_equal %w[puma sidekiq], more.processes.groups.map(&:server).sort
  end

  def test_machines_have_the_ceiling_of_the_time_with_units
    samples = SampleProcesses.new(@sample).to_a
    now = summary(samples:).machines.first
    loaded = Holdup::Analysis::ProcessReport.new(SampleProcesses.new(@sample, vcpus: 2.0).to_a,
      from_s: @sample.from_s, to_s: @sample.to_s)
    under_load = summary(samples:, under_load: loaded).machines.first
    assert_equal [4.0, 4.0], [now, under_load].map(&:vcpus)
    assert_equal [4.0, 2.0], [now, under_load].map { |machine| machine.ceiling.vcpus }
  end

  private

  def row(rows, name)
    rows.find { |row| row.name == name }
  end
end
