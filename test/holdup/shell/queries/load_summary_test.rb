# frozen_string_literal: true

require "test_helper"
require "delegate"
require "holdup/loader"
require_relative "../../../support/burst_store"

class Holdup::Queries::LoadSummaryTest < Minitest::Test
  def setup
    @sample = SampleWindows.new
    @store = Holdup::Store.open("memory:")
    @store.commit(@sample.to_a, {}, processes: SampleProcesses.new(@sample).to_a)
  end

  def summed(**view)
    Holdup::Queries::LoadSummary.call(@store, from_s: @sample.from_s, to_s: @sample.to_s, **view)
  end

  def test_a_span_with_its_processes
    assert_equal @sample.to_a.sum(&:count), summed.total.count
    assert_equal %w[puma sidekiq], summed.processes.groups.map(&:server).sort
  end

  def test_calls_are_beside_the_requests_and_no_part_of_them
    calls = @sample.window("OrdersController#index", kind: :call, queue: "sql primary", count: 7,
      histograms: {wall: Holdup::Histogram.of([1_000_000] * 7)})
    without = summed.total
    @store.commit([calls], {})
    summary = summed
    assert_equal [["OrdersController#index", 7]],
      summary.calls.map { |unit| [unit.name, unit.lines.sum(&:count)] }
    assert_equal [without.count, without.wall_ns], [summary.total.count, summary.total.wall_ns]
    assert_empty summed(filter: Holdup::Analysis::UnitFilter.new(name: "Reports*")).calls
  end

  def test_methods_are_beside_the_requests_and_no_part_of_them
    method = @sample.window("OrdersController#index", kind: :method, queue: "app/a.rb:1 A#b", count: 7,
      sums: {caused_ns: 9_000})
    without = summed.total
    @store.commit([method], {})
    summary = summed
    assert_equal [["A#b", 9_000]], summary.holding_methods.map { |line| [line.label, line.caused_ns] }
    assert_equal [without.count, without.caused_ns], [summary.total.count, summary.total.caused_ns]
    assert_empty summed(filter: Holdup::Analysis::UnitFilter.new(name: "Reports*")).holding_methods
  end

  # Remembers what it is asked for.
  class AskedStore < SimpleDelegator
    def asked = @asked ||= []

    %i[processes unit_spans].each do |question|
      define_method(question) do |*arguments, **options|
        asked << question
        super(*arguments, **options)
      end
    end

    def sums(*span, **options)
      asked << options.fetch(:kinds)
      super
    end
  end

  def asked_for(**view, &)
    store = AskedStore.new(@store)
    summary = Holdup::Queries::LoadSummary.call(store, from_s: @sample.from_s, to_s: @sample.to_s, **view, &)
    [summary, store.asked]
  end

  def test_reads_only_the_windows_for_a_report_that_needs_nothing_else
    _, asked = asked_for { [] }
    assert_equal [Holdup::Queries::LoadSummary.kinds(:name)], asked
  end

  def test_reads_each_part_once_that_the_report_names
    summary, asked = asked_for { %i[calls pairs calls] }
    assert_equal [[:call], [:pair]], asked.drop(1)
    assert summary.read?(:calls, :pairs)
    refute summary.read?(:samples)
  end

  def test_asks_the_report_again_until_it_has_what_it_needs
    steps = []
    asked_for do |known|
      steps << known.read?(:samples)
      known.read?(:samples) ? %i[samples repeats] : [:samples]
    end
    assert_equal [false, true, true], steps
  end

  def test_a_screen_reads_what_its_verdict_asks_for
    _, asked = asked_for { |known| Holdup::Report::ReportScreen.parts(known) }
    assert_includes asked, [:method]
    assert_includes asked, [:call]
    assert_includes asked, [:pair]
    _, asked = asked_for(by: :host) { |known| Holdup::Report::ReportScreen.parts(known) }
    assert_empty asked & [[:call], [:repeat], [:pair]]
  end

  def test_a_table_reads_only_its_parts
    {states: [], calls: [[:call]], methods: [[:method]], pools: [:processes],
     pairs: [[:pair]]}.each do |table, parts|
      _, asked = asked_for { |known| Holdup::Report::FullReport.parts_of_table(table, known) }
      assert_equal parts, asked.drop(1), table
    end
  end

  # Samples know whole seconds: a process that ended just now was last seen in the second in which the span
  # ends.
  def test_the_last_second_belongs_to_it
    @store.commit([], {},
      processes: [{at_s: @sample.to_s, host: "web-1", pid: 9, name: "pid 9", server: "late"}])
    assert_includes summed.processes.groups.map(&:server), "late"
  end

  # A deploy in the middle: each side was measured for half of the span.
  def test_the_rate_of_a_setting_or_revision_is_of_the_time_in_which_it_was_measured
    before, after = %w[a1 b2].map do |revision|
      Holdup::Setting.new(attributes: SampleWindows::SETTING.merge("revision" => revision))
    end
    minutes = [before] * 10 + [after] * 20
    windows = minutes.each_with_index.map do |setting, minute|
      @sample.window("A", count: 120, setting:, start_s: @sample.from_s + minute * 60)
    end
    store = Holdup::Store.open("memory:")
    store.commit(windows, {})
    span = {from_s: @sample.from_s, to_s: @sample.from_s + 1800}
    rates = %i[setting revision name].to_h do |by|
      found = Holdup::Queries::LoadSummary.call(store, **span, by:)
      [by, found.rows.map { |row| found.row_rate(row).round(3) }]
    end
    assert_equal({setting: [2.0, 2.0], revision: [2.0, 2.0], name: [2.0]}, rates)
  end

  # Hosts that serve the same: then a pair of all of them is as much as of each.
  def test_who_stalled_whom_on_several_hosts_is_added_up
    one, many = [1, 5].map { |hosts| pairs_on(hosts) }

    refute_empty one
    assert_equal one.map { |pair| [pair.victim, pair.causer, 5 * pair.ns, pair.share] },
      many.map { |pair| [pair.victim, pair.causer, pair.ns, pair.share] }
  end

  def pairs_on(hosts)
    store = Holdup::Store.open("memory:")
    names = Array.new(hosts) { |index| "web-#{index}" }
    store.commit(names.flat_map { |host| @sample.stored.map { |window| window.with(host:) } }, {})
    Holdup::Queries::LoadSummary.call(store, from_s: @sample.from_s, to_s: @sample.to_s).pairs
  end

  def test_what_is_shown_of_it
    summary = summed(filter: Holdup::Analysis::UnitFilter.new(name: "Orders*"), sort: :count)
    assert_equal ["OrdersController#index"], summary.rows.map(&:name)
    assert_equal :count, summary.sort
  end

  BURST = BurstStore::Burst.new(from_s: 10, to_s: 17.6, count: 900)
  HOUR_S = 3600

  # Windows know minutes at best.
  def test_the_rate_of_a_few_seconds
    summary = read(BurstStore.new(BURST).open, 0, 60)
    assert_in_delta 119, summary.throughput, 1
    assert_in_delta 7.6, summary.measured_s, 0.05
  end

  def test_one_endpoint_has_the_time_of_all_that_are_measured
    summary = read(
      BurstStore.new(BURST,
        BurstStore::Burst.new(from_s: 12, to_s: 13, count: 2,
          kind: :job)).open, 0, 60, filter: Holdup::Analysis::UnitFilter.new(name: "Report*")
    )
    assert_equal 2, summary.total.count
    assert_in_delta 7.6, summary.measured_s, 0.05
  end

  def test_a_single_unit_has_no_rate
    assert_nil read(BurstStore.new(BURST.with(count: 1)).open, 0, 60).throughput
  end

  # Idle processes before and after are no load.
  one_ruby def test_rate_and_cpu_ceiling_are_the_same_in_any_span_of_any_windows
    burst = BURST.with(from_s: 100, to_s: 400, count: 3000, born_s: -3 * HOUR_S)
    stores = BurstStore::AGES_S.keys.to_h do |finest_s|
      [finest_s, BurstStore.new(burst, idle_s: HOUR_S).open(finest_s:)]
    end
    expected = read(stores.fetch(60), 0, 480)
    assert_in_delta 10, expected.throughput, 0.05
    stores.each do |finest_s, store|
      [[-100 * 60, 1200], [-2 * HOUR_S, 0], [-3 * HOUR_S, 2 * HOUR_S],
        [-90 * HOUR_S, 30 * HOUR_S]].each do |from_s, to_s|
        found = read(store, from_s, 480 + to_s)
        said = "windows of #{finest_s} s, from #{from_s} to #{to_s}"
        assert_equal expected.throughput, found.throughput, said
        assert_in_delta 0, difference(expected, found), 0.005, said
      end
    end
  end

  private

  def read(store, from_s, to_s, **view)
    Holdup::Queries::LoadSummary.call(store, from_s: BurstStore::START_S + from_s,
      to_s: BurstStore::START_S + to_s, **view)
  end

  def difference(one, other)
    [one, other].map { |summary| summary.machines.first.ceiling.range }.then { |ranges|
      ranges.map(&:minmax).transpose.sum { |pair| (pair.first - pair.last).abs }
    }
  end
end
