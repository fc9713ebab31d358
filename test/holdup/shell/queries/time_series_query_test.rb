# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::TimeSeriesQueryTest < Minitest::Test
  MINUTE = 60

  def setup
    @sample = SampleWindows.new(minutes: 4)
    @store = Holdup::Store.open("memory:")
    @store.commit(@sample.to_a, {})
  end

  def course(from_s: @sample.from_s, to_s: @sample.to_s, **view)
    Holdup::Queries::TimeSeriesQuery.call(@store, from_s:, to_s:, **view)
  end

  def summary(**view)
    Holdup::Queries::LoadSummary.call(@store, from_s: @sample.from_s, to_s: @sample.to_s, **view)
  end

  # Whoever wants fewer points reads longer windows.
  def test_fewer_points_have_longer_steps
    month_s = 30 * 86_400
    query = Holdup::Queries::TimeSeriesQuery

    assert_equal 10_800, query.step_s(0, month_s)
    assert_equal 86_400, query.step_s(0, month_s, points: 60)
  end

  def test_reads_only_numbers_that_charts_show
    numbers = []
    @store.define_singleton_method(:sums) do |*span, **options|
      numbers << options[:numbers]
      super(*span, **options)
    end
    course
    shown = %i[cpu_ns starved_ns io_ns lock_ns sleep_ns native_ns]
    assert_equal [], numbers.flatten - shown
    refute_includes numbers, nil
  end

  def test_methods_by_what_they_caused_in_each_unit
    place = "app/a.rb:1 Report#rows"
    name = "ReportsController#sales"
    methods = ["#{place} | Array#map", "#{place} | (GC)"].map do |queue|
      @sample.window(name, kind: :method, queue:, count: 2, sums: {caused_ns: 40_000_000})
    end
    @store.commit(methods, {})
    filter = Holdup::Analysis::UnitFilter.new(kind: :request, name:)
    found = course(filter:, methods: true).method_stalls
    assert_equal({"Report#rows" => [1_000_000.0, 0.0, 0.0, 0.0]}, found)
    assert_empty course(filter: filter.with(name: "Orders*"), methods: true).method_stalls
    assert_empty course(filter:).method_stalls
  end

  # What a collector writes beside: the units of a minute once more, by process; each second unit is
  # another's.
  def processes(windows = @sample.to_a.select { |window| window.series.unit? })
    windows.group_by(&:start_s).flat_map do |start_s, same|
      same.partition.with_index { |_, index| index.even? }.each_with_index.map do |own, index|
        series = Holdup::Series.new(kind: :process, name: "worker #{index}")
        Holdup::Window.sum(own.map { |window| window.with(series:) })
      end
    end
  end

  def test_each_minute_says_what_a_report_of_that_minute_would
    found = course
    assert_equal (0..3).map { |minute| @sample.from_s + minute * MINUTE }, found.at_s
    found.at_s.each_with_index do |at_s, index|
      total = Holdup::Queries::LoadSummary.call(@store, from_s: at_s, to_s: at_s + MINUTE).total
      assert_equal total.split.share(:stalled), found.shares[:stalled][index]
      assert_equal total.histogram(:wall).quantile(0.95), found.quantiles(:wall)[:p95][index]
      assert_equal total.per_unit(total.histogram(:queued).sum), found.mean(:queued)[index]
      assert_equal total.count.fdiv(MINUTE), found.per_second[index]
    end
  end

  def test_shares_are_the_whole
    assert_equal [1.0] * 4, course.shares.values.transpose.map { |shares| shares.sum.round(9) }
  end

  def test_what_was_chosen
    filter = Holdup::Analysis::UnitFilter.new(name: "Orders*")
    assert_equal summary(filter:).total.count, course(filter:).heat[:counts].flatten.sum
    assert_equal summary.total.count, course.heat[:counts].flatten.sum
  end

  def test_nested_units_are_taken_off_what_is_not_narrowed
    before = course.mean(:stalled).first
    first = @sample.to_a.select { |window| window.series.unit? && window.start_s == @sample.from_s }
    units = first.sum(&:count)
    histograms = {stalled: Holdup::Histogram.of_sum(units * 1000)}
    @store.commit([@sample.window("ReportJob", kind: :nested, histograms:, count: 1)], {})
    assert_in_delta before - 1000, course.mean(:stalled).first, 1e-3
    filter = Holdup::Analysis::UnitFilter.new(kind: :request)
    assert_in_delta before, course(filter:).mean(:stalled).first, 1e-3
  end

  def test_a_step_without_units_has_no_value
    found = course(from_s: @sample.from_s - 2 * MINUTE)
    assert_equal [nil, nil], found.quantiles(:wall)[:p50].first(2)
    assert_equal [nil, nil], found.per_second.first(2), "nothing was measured there"
    assert_equal 0, found.heat[:counts].first(2).flatten.sum
    refute_empty found
    assert_empty course(from_s: @sample.from_s - 2 * MINUTE, to_s: @sample.from_s)
  end

  def test_a_process_that_is_measured_and_takes_no_unit_has_a_rate_of_none
    @store.commit(
      [@sample.window("thread:main", kind: :account, queue: nil, start_s: @sample.from_s - MINUTE)], {}
    )
    assert_equal [nil, 0.0], course(from_s: @sample.from_s - 2 * MINUTE).per_second.first(2)
  end

  def test_the_end_of_a_span_without_data_is_not_known
    assert_equal [nil, nil], course(to_s: @sample.to_s + 2 * MINUTE).per_second.last(2)
  end

  def test_minutes_of_processes_with_other_threads_are_not_measured_ones
    @store.commit(
      [@sample.window("thread:main", kind: :account, queue: nil, start_s: @sample.from_s - MINUTE)], {}
    )
    filter = Holdup::Analysis::UnitFilter.new(threads: 77)
    assert_empty course(from_s: @sample.from_s - MINUTE, filter:).per_second.compact
  end

  # Units with a queue time for half of them, then units without any.
  def test_an_unknown_queue_time_is_not_zero
    histograms = {wall: Holdup::Histogram.of([9, 9]), queued: Holdup::Histogram.of([1_000])}
    half = @sample.window("GET /", count: 2, histograms:, start_s: @sample.to_s)
    none = @sample.window("GET /", count: 2, histograms: {wall: Holdup::Histogram.of([9, 9])},
      start_s: @sample.to_s + MINUTE)
    @store.commit([half, none], {})
    queued = course(from_s: @sample.to_s, to_s: @sample.to_s + 2 * MINUTE).mean(:queued)
    assert_in_delta 1_000, queued.first
    assert_nil queued.last
  end

  def test_a_minute_that_is_not_over_is_left_out
    assert_equal 3, course(to_s: @sample.to_s - 1).at_s.size
  end

  def test_the_bands_of_the_heat_map_hold_what_they_say
    heat = course.heat
    assert_equal heat[:upto_ns].sort, heat[:upto_ns]
    assert_operator heat[:upto_ns].last, :>=, summary.total.histogram(:wall).max
    assert_equal [heat[:upto_ns].size], heat[:counts].map(&:size).uniq
  end

  def test_how_long_the_gvls_of_two_processes_were_held
    @store.commit(processes, {})
    held = @sample.to_a.select { |window| window.start_s == @sample.from_s }.sum { |window|
      window.histograms[:running].sum
    }
    assert_in_delta held.fdiv(2 * MINUTE * 1_000_000_000), course.gvl.fetch("puma 8.0.2").first, 1e-9
  end

  def test_a_histogram_that_is_not_asked_for_has_means_all_the_same
    @store.commit(processes, {})
    [{}, {filter: Holdup::Analysis::UnitFilter.new(name: "Orders*")}].each do |view|
      whole = course(**view)
      means = course(**view, histograms: %i[wall])
      assert_equal whole.quantiles(:wall), means.quantiles(:wall)
      %i[queued stalled].each { |key| assert_equal whole.mean(key), means.mean(key), "#{key} #{view}" }
      assert_equal whole.shares, means.shares
      assert_equal whole.gvl, means.gvl
    end
  end

  # They are a shorter way to all units, and may be there for a part of the time.
  def test_processes_say_of_all_units_what_units_say
    expected = course
    [0, 1, 2, 3].each do |minute|
      @store.commit(processes.select { |window| window.start_s == @sample.from_s + minute * MINUTE }, {})
      found = course
      assert_equal expected.to_h.except(:gvl), found.to_h.except(:gvl)
      assert_equal expected.heat, found.heat
      assert_equal minute + 1, found.gvl.fetch("puma 8.0.2").compact.size
    end
  end

  def test_everything_goes_into_json
    found = course.to_h
    assert_equal %i[step_s at_s shares per_second wall_ns queued_ns stalled_ns gvl], found.keys
    lists = [found[:at_s], found[:per_second], *found[:shares].values,
      *%i[wall_ns queued_ns stalled_ns].flat_map { |key| found[key].values }]
    assert_equal [4], lists.map(&:size).uniq
  end

  def test_never_more_points_than_a_chart_can_show
    {900 => 60, 3600 => 60, 6 * 3600 => 120, 86_400 => 300, 7 * 86_400 => 3600, 30 * 86_400 => 10_800,
     900 * 86_400 => 4 * 86_400}.each do |span_s, step_s|
      assert_equal step_s, Holdup::Queries::TimeSeriesQuery.step_s(0, span_s)
      assert_operator span_s / step_s, :<, Holdup::Queries::TimeSeriesQuery::POINTS
    end
    assert_equal 300, Holdup::Queries::TimeSeriesQuery.step_s(0, 3600, 300)
  end

  def test_where_minutes_are_gone_steps_are_as_long_as_what_is_left
    now_s = @sample.from_s + 5 * 86_400
    @store.rollup(now_s)
    @store.prune(now_s, max_bytes: 1 << 30)
    found = course(to_s: @sample.from_s + 3600)
    assert_equal 300, found.step_s
    assert_equal summary.total.count, (found.per_second.compact.sum * 300).round
  end
end
