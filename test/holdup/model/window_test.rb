# frozen_string_literal: true

require "test_helper"
require "holdup/model/series"
require "holdup/model/setting"
require "holdup/model/window"
require "holdup/segment/layout"

class Holdup::WindowTest < Minitest::Test
  Window = Holdup::Window
  SERIES = Holdup::Series.new(kind: :request, name: "OrdersController#index")
  SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5"})

  def test_merge_adds_everything_and_spans_both
    merged = window(1, start_s: 120).merge(window(2, start_s: 60))

    assert_equal [60, 120, 180], [merged.start_s, merged.seconds, merged.end_s]
    assert_equal [2, 2, 20], [merged.count, merged.errors, merged.sums[:gc_ns]]
    assert_equal window(1).histograms[:wall].merge(window(2).histograms[:wall]), merged.histograms[:wall]
  end

  def test_a_pair_has_how_long_it_waited_where_its_kind_has_it
    {pair: ->(one) { one.stalled_ns }, pool_pair: ->(one) { one.pool_wait_ns },
     lock_pair: ->(one) { one.lock_ns }}.each do |kind, ns|
      series = Holdup::Series.new(kind:, name: "A", queue: "B")
      pair = Window.of_pair(series:, ns: 7, setting: SETTING, host: "a", start_s: 60, seconds: 60)

      assert_predicate series, :pair?
      assert_equal [7, 7], [pair.pair_ns, ns[pair]], kind
      assert_equal Window.empty(series:, setting: SETTING, host: "a", start_s: 60, seconds: 60),
        Window.of_pair(series:, ns: 0, setting: SETTING, host: "a", start_s: 60, seconds: 60), kind
    end
    refute_predicate SERIES, :pair?
    assert_equal Holdup::Segment::Layout::PAIR_KINDS, Holdup::Series::PAIRS
  end

  def test_merge_is_associative_and_commutative
    a = window(1, start_s: 60)
    b = window(2, start_s: 0)
    c = window(3, start_s: 600, host: "b")

    assert_equal a.merge(b).merge(c), a.merge(b.merge(c))
    assert_equal a.merge(c), c.merge(a)
    assert_equal a.merge(b).merge(c), Window.sum([c, a, b])
  end

  # However windows are divided and in whatever order they are added: the same window, every sum the plain
  # sum.
  def test_every_partition_adds_up_to_the_same
    20.times do |seed|
      random = Random.new(seed)
      windows = Array.new(random.rand(2..12)) { random_window(random) }
      parts = windows.shuffle(random:).group_by { random.rand(3) }.values
      merged = Window.sum(parts.map { |part| Window.sum(part) }.shuffle(random:))
      assert_equal Window.sum(windows), merged, "seed #{seed}"
      assert_equal Window::SUMS.to_h { |name| [name, windows.sum { |window| window.sums[name] }] },
        merged.sums, "seed #{seed}"
    end
  end

  def test_how_long_the_gvl_was_held
    empty = Window.empty(series: SERIES, host: "a", start_s: 0, seconds: 60)
    running = empty.histograms.merge(running: Holdup::Histogram.of_sum(9))
    unit = empty.with(sums: empty.sums.merge(cpu_ns: 5, starved_ns: 2), histograms: running)
    thread = unit.with(series: Holdup::Series.new(kind: :account, name: "main"))

    assert_equal [7, 9], [unit.held_ns, thread.held_ns]
    assert_equal 9, unit.held_ns(:account), "added up over series"
  end

  def test_the_waits_for_pools_are_sums
    assert_empty %i[pool_wait_ns pool_held_ns] - Window::SUMS
  end

  def test_the_empty_window_is_neutral
    empty = Window.empty(series: SERIES)

    assert_equal window(1), empty.merge(window(1))
    assert_equal window(1), window(1).merge(empty)
    assert_equal empty, empty.merge(empty)
  end

  def test_merging_different_settings_or_hosts_leaves_them_out
    other = Holdup::Setting.new(attributes: {"ruby" => "3.3.8"})
    merged = window(1).merge(window(2, setting: other, host: "b"))

    assert_nil merged.setting
    assert_nil merged.host
  end

  def test_another_series_is_refused
    other = Window.empty(series: Holdup::Series.new(kind: :job, name: "ReportJob", queue: "low"))

    assert_raises(ArgumentError) { window(1).merge(other) }
  end

  def test_it_is_frozen_through_and_through
    assert_predicate window(1).sums, :frozen?
    assert_predicate window(1).histograms, :frozen?
  end

  private

  def random_window(random)
    values = RandomValues.new(random.rand(1 << 30))
    histograms = Window::HISTOGRAMS.to_h do |name|
      [name, Holdup::Histogram.of(values.take(random.rand(1..9)))]
    end
    Window.new(
      start_s: random.rand(100) * 60, seconds: 60, series: SERIES, setting: SETTING, host: "a",
      count: random.rand(50), errors: random.rand(5),
      sums: Window::SUMS.to_h { |name| [name, random.rand(1 << 50)] }, histograms:
    )
  end

  def window(seed, start_s: 0, setting: SETTING, host: "a")
    histogram = Holdup::Histogram.of([seed * 5_000])
    Window.new(
      start_s:, seconds: 60, series: SERIES, setting:, host:, count: 1, errors: 1,
      sums: Window::SUMS.to_h { |name| [name, 10] },
      histograms: Window::HISTOGRAMS.to_h { |name| [name, histogram] }
    )
  end
end
