# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/burst_store"

class Holdup::Report::GvlOverTimeReaderTest < Minitest::Test
  Gvl = Holdup::Analysis::GvlOverTime
  NS = 1_000_000_000

  def sample = @sample ||= SampleWindows.new

  def store(windows = [*sample.stored, *processes])
    Holdup::Store.open("memory:").tap { |store| store.commit(windows, {}) }
  end

  # Two processes of five threads, which ran all that the sample has.
  def processes
    sample.to_a.select { |window| window.series.unit? }.group_by(&:start_s).flat_map do |start_s, units|
      sums = units.map(&:sums).reduce { |one, other| one.merge(other) { |_, left, right| left + right } }
      histograms = %i[wall stalled].to_h do |name|
        [name, Holdup::Histogram.sum(units.map { |unit| unit.histograms[name] })]
      end
      count = units.sum(&:count)
      [sample.window("worker 0", kind: :process, queue: nil, start_s:, count:, sums:, histograms:),
        sample.window("worker 1", kind: :process, queue: nil, start_s:, count: 1)]
    end
  end

  def gvl(store = self.store, **chosen)
    filter = Holdup::Analysis::UnitFilter.new(**chosen)
    span = {from_s: sample.from_s, to_s: sample.to_s}
    series = Holdup::Queries::TimeSeriesQuery.call(store, **span, filter:, histograms: [])
    Holdup::Report::GvlOverTimeReader.call(store, series, **span, filter:)
  end

  def waited_s(pairs) = pairs.sum(&:stalled_ns).fdiv(NS)

  def test_threads_that_wait_are_stalled_seconds_by_seconds
    found = gvl

    assert_equal [sample.from_s, sample.from_s + 60, sample.from_s + 120], found.at_s
    waiting = sample.to_a.group_by(&:start_s).values
    waiting.zip(found.total) { |same, threads| assert_in_delta waited_s(same) / 60, threads, 1e-6 }
  end

  def test_the_strongest_come_first_then_others_and_hand_off
    found = gvl

    assert_equal "ReportsController#sales", found.names.first.name
    assert_equal Gvl::STRONGEST, found.names.size
    assert_equal [*found.names, Gvl::OTHERS, Gvl::NOBODY], found.waiting.keys
    sales = sample.pairs.select { |pair| pair.series.queue == "ReportsController#sales" }
    assert_in_delta waited_s(sales) / 60, found.waiting[found.names.first].sum, 1e-6
  end

  def test_the_gvl_is_held_by_the_same_names
    found = gvl

    assert_equal [*found.names, Gvl::OTHERS], found.held.keys
    sales = sample.to_a.select { |window| window.series.name == "ReportsController#sales" }
    seconds = sales.sum { |window| window.sums.values_at(:cpu_ns, :starved_ns).sum }.fdiv(NS)
    assert_in_delta seconds / 120, found.held[found.names.first].sum, 1e-6
  end

  # It has a GVL of its own.
  def test_an_idle_job_runner_beside_does_not_make_the_gvl_look_free
    setting = {"jobs" => "sidekiq", "job_threads" => 10}
    runner = SampleWindows.new(setting:).window("worker 0", kind: :process, queue: nil, count: 0)
    idle = [0, 60, 120].map { |second| runner.with(start_s: sample.from_s + second) }
    alone, beside = [gvl, gvl(store([*sample.stored, *processes, *idle]))]

    assert_equal alone.held, beside.held
    assert_nil alone.server
    assert_equal "puma 8.0.2", beside.server
    assert_equal [20, 20, 20], beside.threads
  end

  def test_threads_are_those_of_all_processes
    assert_equal [10, 10, 10], gvl.threads
  end

  def test_with_a_filter_only_those_victims_wait
    orders = sample.pairs.select { |pair| pair.series.name == "OrdersController#index" }

    [{name: "Orders*"}, {name: "Orders*", kind: :request}].each do |chosen|
      assert_in_delta waited_s(orders) / 60, gvl(**chosen).total.sum, 1e-6
    end
    assert_empty gvl(kind: :job)
    assert_empty gvl(threads: 3)
  end

  # The first request came in the middle of the first minute: its processes have a window of all of it.
  def test_a_minute_that_was_measured_in_part_counts_as_that_part
    store = self.store
    singles = unit_samples(sample.from_s + 30, sample.to_s + 2)
    store.commit([], {}, unit_samples: Holdup::SampleBlock.of(singles))
    whole, part = [gvl, gvl(store)].map { |found| found.held[found.names.first] }

    assert_in_delta 2 * whole.first, part.first, 1e-6
    assert_in_delta whole.last, part.last, 1e-6
  end

  # One a second.
  def unit_samples(from_s, to_s)
    BurstStore::Burst.new(from_s: from_s - BurstStore::START_S, to_s: to_s - BurstStore::START_S,
      count: to_s - from_s, setting: sample.to_a.first.setting).unit_samples
  end

  # What the store adds up is what its windows are, to the last bit of each number.
  class PlainlySummed < SimpleDelegator
    attr_reader :asked

    def step_sums(from_s, to_s, step_s:, of:, apart: nil, **filter)
      Holdup::Store::Reader.instance_method(:step_sums).bind_call(self, from_s, to_s, step_s:, of:, apart:,
        **filter)
    end

    def sums(from_s, to_s, hosts: nil, seconds: nil, step_s: nil, settings: nil, together: nil, apart: nil,
      by_host: false, histograms: Holdup::Window::HISTOGRAMS, heads: [], numbers: Holdup::Window::SUMS,
      **filter)
      (@asked ||= []) << filter
      windows = __getobj__.windows(from_s, to_s, seconds: seconds || step_s, hosts:, **filter)
      Holdup::Store::SpanSum.of(windows, step_s:, settings:, together:, apart:, by_host:, histograms:, heads:,
        numbers:)
    end
  end

  def test_is_the_same_from_the_windows_one_by_one
    store = self.store
    plain = PlainlySummed.new(store)
    [{}, {name: "Orders*"}, {kind: :request}].each do |chosen|
      assert_equal Marshal.dump(gvl(plain, **chosen).to_h), Marshal.dump(gvl(store, **chosen).to_h),
        chosen.inspect
    end
  end

  # Once to find the strongest of the span, once over time.
  def test_reads_pairs_twice_whatever_the_number_of_names
    plain = PlainlySummed.new(store)
    gvl(plain)

    assert_equal 2, plain.asked.count { |filter| filter[:kinds] == [:pair] }
  end

  def test_is_empty_without_pairs_and_without_data
    assert_empty gvl(store(sample.to_a))
    assert_empty gvl(store([]))
  end
end
