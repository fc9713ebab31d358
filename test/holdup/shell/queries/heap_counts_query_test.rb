# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::HeapCountsQueryTest < Minitest::Test
  FROM_S = 1_790_000_100
  SAMPLE = SampleWindows.new

  def store_with(*hosts)
    Holdup::Store.open("memory:").tap do |store|
      windows = hosts.product(%w[A B C], [0, 60]).map do |host, name, later_s|
        SAMPLE.window(name, count: 5).with(host:, start_s: FROM_S + later_s)
      end
      processes = hosts.map { |host| {at_s: FROM_S, host:, pid: 1, setting: "s", rss_bytes: 7} }
      store.commit(windows, {}, processes:)
    end
  end

  def counts(*hosts)
    store = store_with(*hosts)
    Holdup::Queries::HeapCountsQuery.call(store, from_s: FROM_S, to_s: FROM_S + 120, names: %w[A])
  end

  def test_counts_of_each_step_by_host_with_the_other_names_together
    found = counts("a", "b").windows.map do |window|
      [window.host, window.start_s - FROM_S, window.series.name, window.count]
    end
    expected = %w[a b].product([0, 60]).flat_map do |host, later_s|
      [[host, later_s, "(others)", 10], [host, later_s, "A", 5]]
    end
    assert_equal expected, found.sort
  end

  def test_samples_of_the_other_hosts_of_a_large_fleet_are_not_read_twice
    asked = []
    hosts = Array.new(20) { |number| format("web-%02d", number) }
    store = store_with(*hosts)
    store.define_singleton_method(:processes) do |*span, **options|
      super(*span, **options).tap { |samples| asked << samples.size }
    end
    Holdup::Queries::HeapCountsQuery.call(store, from_s: FROM_S, to_s: FROM_S + 120, names: %w[A])
    assert_equal [20, 7], asked
  end

  def test_some_hosts_stand_for_a_large_fleet
    hosts = Array.new(20) { |number| format("web-%02d", number) }
    found = counts(*hosts)
    read = found.windows.map(&:host).uniq
    assert_operator read.size, :<=, 8
    assert_equal read.sort, found.samples.map { |sample| sample[:host] }.sort
    assert_in_delta 20, read.size * found.each_host, 1e-9
  end

  # Two days have steps of half an hour.
  def test_a_long_span_has_few_steps
    asked = asked_of_two_days
    assert_equal 1800, asked[:step_s]
    assert_empty asked[:numbers], "only counts are added up"
  end

  def test_a_long_span_has_two_samples_of_a_process_in_each_step
    assert_equal({every_s: 1800, ends: true}, asked_of_two_days.slice(:every_s, :ends, :hosts))
  end

  def test_samples_are_those_around_the_ends_of_steps
    store = Holdup::Store.open("memory:")
    from_s = FROM_S / 600 * 600
    samples = (0..1440).map do |minute|
      {at_s: from_s + minute * 60 + 7, host: "a", pid: 1, setting: "s", rss_bytes: minute * 100}
    end
    store.commit([], {}, processes: samples)
    counts = Holdup::Queries::HeapCountsQuery.call(store, from_s:, to_s: from_s + 86_400, names: %w[A])
    assert_operator counts.samples.size, :<=, 2 * 146
    trail = Holdup::Analysis::ProcessReport::SampleTrail.new(counts.samples)
    sizes = (1..143).map { |step| trail.at(:rss_bytes, from_s + step * 600).round }
    assert_equal (1..143).map { |step| ((step * 600 - 7) / 0.6).round }, sizes
  end

  # @return [Hash] options of all questions
  def asked_of_two_days
    asked = {}
    store = store_with("a")
    %i[sums processes].each do |question|
      store.define_singleton_method(question) do |*span, **options|
        asked.merge!(options)
        super(*span, **options)
      end
    end
    Holdup::Queries::HeapCountsQuery.call(store, from_s: FROM_S - 172_800, to_s: FROM_S, names: %w[A])
    asked
  end

  def test_a_small_one_is_read_whole
    assert_equal 1, counts("a").each_host
  end
end
