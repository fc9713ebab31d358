# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SeriesRowTest < Minitest::Test
  def row(**options)
    Holdup::Analysis::SeriesRow.new(name: "A", kind: :request, queue: nil,
      window: SampleWindows.new.window("A", **options))
  end

  def sums(running:, idle:, stalled:)
    {running:, idle:, stalled:}.transform_values { |ns| Holdup::Histogram.of_sum(ns) }
  end

  def test_figures_per_unit_and_acquisition
    one = row(count: 4, errors: 1, sums: {acquisitions: 20},
      histograms: {stalled: Holdup::Histogram.of([2_000] * 4)})
    assert_in_delta 2_000.0, one.per_unit(one.stalled_ns)
    assert_in_delta 400.0, one.stall_per_acquisition
    assert_in_delta 0.25, one.error_share
  end

  def test_the_io_share_leaves_stall_out
    one = row(histograms: sums(running: 30, idle: 60, stalled: 10))
    assert_in_delta 60 / 90.0, one.idle_share
    assert_in_delta 0.7, one.idle_and_stall_share
  end

  def test_nothing_divides_by_zero
    assert_equal [nil] * 4,
      [row.per_unit(5), row.stall_per_acquisition, row.idle_share, row.idle_and_stall_share]
  end

  # One thread that holds for 100 ms is met more often than ten that hold for 1 ms each.
  def test_a_thread_meets_long_holds_more_often
    held = ->(*ms) { {hold_squares_us2: ms.sum { |each| (each * 1000)**2 }, acquisitions: ms.size} }
    running = ->(*ms) { {running: Holdup::Histogram.of_sum(ms.sum * 1_000_000)} }
    mixed = [100, *[1] * 10]
    alike, unlike = [[10] * 11, mixed].map { |ms| row(sums: held[*ms], histograms: running[*ms]) }

    assert_in_delta 10_000_000, alike.met_hold, 1e-3
    assert_in_delta 10_000_000, alike.mean_hold
    assert_in_delta 10_000_000, unlike.mean_hold
    assert_in_delta 91_000_000, unlike.met_hold, 100_000
    assert_nil row.met_hold
    assert_nil row(histograms: running[5]).met_hold, "an older recording has no squares"
  end

  def test_the_largest_state_and_the_share_of_each
    split = row(sums: {cpu_ns: 30, io_ns: 50, gc_ns: 999},
      histograms: sums(running: 30, idle: 50, stalled: 20)).split

    assert_equal :io, split.largest
    assert_equal 100, split.total
    assert_in_delta 0.2, split.share(:stalled)
    assert_in_delta 1.0, split.members.sum { |state| split.share(state) }
    assert_equal 0.0, row.split.share(:cpu)
  end

  Entry = Data.define(:series, :setting, :window)

  def entry(name, kind: :request, queue: nil, stalled: 0, count: 1, setting: nil)
    series = Holdup::Series.new(kind:, name:, queue:)
    histograms = {stalled: Holdup::Histogram.of_sum(stalled)}
    window = SampleWindows.new.window(name, kind:, queue:, count:, histograms:)
    Entry.new(series:, setting:, window:)
  end

  def grouped(*entries, by: :name, sort: :stalled)
    settings = Holdup::Analysis::SettingDifferences::SettingLabels.new(entries.filter_map(&:setting))
    Holdup::Analysis::SeriesRow::Grouping.new(entries, by:, sort:, settings:).rows
  end

  def test_rows_of_one_name_are_one_and_those_of_another_queue_are_not
    rows = grouped(entry("A", count: 2), entry("A", count: 3), entry("A", kind: :job, queue: "low"),
      entry("A", kind: :job, queue: "high"))

    assert_equal [[:job, "high", 1], [:job, "low", 1], [:request, nil, 5]],
      rows.map { |one| [one.kind, one.queue, one.count] }.sort_by { |kind, queue,| [kind, queue.to_s] }
  end

  def test_the_most_first_and_names_decide_among_equals
    entries = [entry("B", stalled: 5, count: 1), entry("C", stalled: 9, count: 2),
      entry("A", stalled: 5, count: 9)]

    assert_equal %w[C A B], grouped(*entries).map(&:name)
    assert_equal %w[A C B], grouped(*entries, sort: :count).map(&:name)
    assert_raises(KeyError) { grouped(*entries, sort: :name) }
  end

  def test_priorities_are_in_their_own_order_in_each_queue
    entries = %w[10 9 default -1].map { |name| entry(name, kind: :priority, queue: "b", stalled: 1) }
    rows = grouped(*entries, entry("50", kind: :priority, queue: "a"), by: :priority)

    assert_equal %w[50 -1 9 10 default], rows.map(&:name)
  end

  def test_work_without_a_queue_is_a_row_for_each_kind
    rows = grouped(entry("A"), entry("B"), entry("J", kind: :job), entry("K", kind: :job, queue: "low"),
      by: :queue)

    assert_equal [["-", :job, nil], ["-", :request, nil], ["low", :job, "low"]],
      rows.map { |one| [one.name, one.kind, one.queue] }.sort_by { |one| one.first(2).map(&:to_s) }
    assert_equal [2], rows.select { |one| one.kind == :request }.map(&:count)
  end

  def test_a_row_knows_under_which_settings_it_was_measured
    settings = [5, 3].map { |threads| Holdup::Setting.new(attributes: {"threads" => threads}) }
    rows = grouped(*settings.map { |setting| entry("A", setting:) }, entry("A", setting: settings.first))

    assert_equal [settings.map(&:fingerprint)], rows.map(&:settings)
    assert_equal 2, grouped(*settings.map { |setting| entry("A", setting:) }, by: :setting).size
  end
end
