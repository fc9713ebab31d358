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

  def test_some_hosts_stand_for_a_large_fleet
    hosts = Array.new(20) { |number| format("web-%02d", number) }
    found = counts(*hosts)
    read = found.windows.map(&:host).uniq
    assert_operator read.size, :<=, 8
    assert_equal read.sort, found.samples.map { |sample| sample[:host] }.sort
    assert_in_delta 20, read.size * found.each_host, 1e-9
  end

  # Two days have steps of half an hour, with samples six minutes apart.
  def test_a_long_span_has_few_steps
    asked = {}
    store = store_with("a")
    store.define_singleton_method(:sums) do |*span, **options|
      asked.merge!(options)
      super(*span, **options)
    end
    Holdup::Queries::HeapCountsQuery.call(store, from_s: FROM_S - 172_800, to_s: FROM_S, names: %w[A])
    assert_equal 1800, asked[:step_s]
  end

  def test_a_small_one_is_read_whole
    assert_equal 1, counts("a").each_host
  end
end
