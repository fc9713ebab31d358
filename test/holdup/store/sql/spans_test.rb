# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

# The sums of the database against the addition of single windows, which is the oracle.
class Holdup::Store::Sql::SumsTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  Range = Holdup::Store::Tier::ReadPlan::TierRange
  Histogram = Holdup::Histogram
  Window = Holdup::Window
  # Not at a round time of any step.
  START_S = 20_000 * 86_400 + 7 * 60
  SETTINGS = [5, 3].map { |threads| Holdup::Setting.new(attributes: {"threads" => threads}) }
  ALL = Holdup::Series.new(kind: :request, name: "(all)")

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite.new(File.join(folder, "a.sqlite3")))
    @codec = Sql::WindowCodec.new(@connection)
  end

  def teardown
    @connection.close
    super
  end

  def window(minute, name: "A", values: [5_000 + minute], setting: SETTINGS.first, host: "a", gc_ns: minute,
    **rest)
    empty = Window.empty(series: Holdup::Series.new(kind: :request, name:), setting:, host:,
      start_s: START_S + minute * 60, seconds: 60)
    histograms = Window::HISTOGRAMS.to_h { |one| [one, Histogram.of(values)] }
    empty.with(count: values.size, errors: minute % 3, sums: empty.sums.merge(gc_ns:), histograms:, **rest)
  end

  def store(windows)
    rows = windows.map { |one| @codec.row(one) }
    @connection.write { |db| db[:windows].import(Sql::WindowCodec::COLUMNS, rows) }
    windows
  end

  def sums(ranges, series_ids = nil, step_s: nil, settings: nil, together: nil, by_host: false,
    histograms: Window::HISTOGRAMS, **more)
    made = Sql::Spans::Sums.new(@connection, @codec, step_s:, settings:, together:, by_host:, histograms:,
      **more)
    [*ranges].each { |range| made.add(range, {series_id: series_ids}.compact) }
    made.to_a
  end

  def minutes(from, to)
    Range.new(seconds: 60, from_s: START_S + from * 60, to_s: START_S + to * 60)
  end

  def id_of(name)
    @codec.series.id(Holdup::Series.new(kind: :request, name:))
  end

  # The queries that a block sends for windows.
  def queries
    sent = []
    logger = Object.new
    logger.define_singleton_method(:info) { |text| sent << text if text.include?("FROM `windows`") }
    %i[debug warn error].each { |level| logger.define_singleton_method(level) { |*| nil } }
    @connection.use { |db| db.loggers << logger }
    yield
    sent
  ensure
    @connection.use { |db| db.loggers.clear }
  end

  def test_one_window_is_its_own_sum
    original = store([window(0, values: [1, 70_000, 9_000_000])]).first
    found = sums(minutes(0, 1))

    assert_equal [original], found.map(&:window)
    assert_equal [60], found.map(&:covered_s)
  end

  def test_sums_of_no_rows_are_empty
    store([window(0)])

    assert_empty sums(minutes(1, 5))
    assert_empty sums(minutes(0, 1), [])
    assert_empty sums([])
  end

  def test_the_end_of_a_range_is_outside_of_it
    store([window(0), window(1), window(2)])

    assert_equal [[START_S + 60, 60]],
      sums(minutes(1, 2)).map { |sum| [sum.window.start_s, sum.window.seconds] }
  end

  def random_windows(random)
    (0...300).step(7).flat_map do |minute|
      %w[A B C].sample(2, random:).map do |name|
        values = Array.new(random.rand(0..9)) { (10**random.rand(0.0..13.0)).round }
        window(minute, name:, values:, setting: SETTINGS.sample(random:), host: %w[a b].sample(random:))
      end
    end
  end

  def test_agrees_with_the_addition_of_single_windows
    windows = store(random_windows(Random.new(3)))
    [
      {}, {step_s: 600}, {step_s: 3600}, {together: ALL}, {settings: SETTINGS.last(1)},
      {step_s: 1800, together: ALL, settings: SETTINGS}, {histograms: %i[wall]}, {histograms: []},
      {histograms: [], heads: %i[stalled], numbers: []}, {numbers: %i[gc_ns], together: ALL, apart: :name}
    ].each do |options|
      expected = Holdup::Store::SpanSum.of(windows, **options)
      assert_equal expected.to_set, sums(minutes(0, 300), **options).to_set, options.inspect
    end
  end

  def test_numbers_that_are_not_wanted_are_not_read
    store([window(0)])
    sent = queries { assert_equal 0, sums(minutes(0, 1), numbers: []).first.window.sums[:gc_ns] }

    refute_match(/gc_ns/, sent.join)
  end

  # Three causers, each with two victims of the same name in another queue.
  def test_series_that_are_summed_together_stay_apart_by_a_part_of_their_name
    pairs = %w[A B C].product(%w[x y]).map do |causer, victim|
      series = Holdup::Series.new(kind: :pair, name: victim, queue: causer)
      window(causer.ord % 2, gc_ns: causer.ord, setting: SETTINGS.first).with(series:)
    end
    store(pairs)
    %i[queue name].each do |apart|
      options = {together: ALL, apart:, step_s: 60, histograms: []}
      found = sums(minutes(0, 2), **options)

      assert_equal Holdup::Store::SpanSum.of(pairs, **options).to_set, found.to_set
      assert_equal pairs.map { |one| one.series.public_send(apart) }.uniq.sort,
        found.map { |sum| sum.window.series.public_send(apart) }.uniq.sort
    end
  end

  # SQLite looks for the starts of few series one by one: of each it reads its entry of the index only.
  def test_few_series_among_many_have_the_same_sums
    windows = store(random_windows(Random.new(5)))
    40.times { |other| id_of("Other#{other}") }
    found = nil
    sent = queries { found = sums(minutes(0, 300), [id_of("A")], step_s: 600) }
    expected = Holdup::Store::SpanSum.of(windows.select { |one| one.series.name == "A" }, step_s: 600)

    assert_equal expected.to_set, found.to_set
    assert_match(/`start_s` IN \(\d+, \d+/, sent.first)
    many = queries { sums(minutes(0, 300), (1..20).to_a) }
    assert_match(/`start_s` >= \d+/, many.first)
  end

  def test_few_series_among_many_have_the_same_starts
    rows = Sql::WindowRows.new(@connection, @codec, Sql::SmallTables::SkippedRows.new(@connection))
    spans = Sql::Spans.new(@connection, rows, @codec)
    windows = store(random_windows(Random.new(6))).select { |one| one.series.name == "A" }
    40.times { |other| id_of("Other#{other}") }
    found = nil
    sent = queries do
      found = spans.setting_starts(START_S, START_S + 300 * 60, step_s: 60, names: ["A"])
    end

    assert_equal windows.to_set { |one| [one.start_s, one.setting] }, found.to_set
    assert_match(/`start_s` IN \(\d+, \d+/, sent.first)
    long = queries { spans.setting_starts(START_S, START_S + 86_400 * 60, step_s: 60, names: ["A"]) }
    long.each { |one| assert_operator one.size, :<, 20_000 }
  end

  # The reader widens the ends of a span to other tiers, which are ranges of their own.
  def test_ranges_in_any_order_and_number_give_the_same_sum
    store(random_windows(Random.new(4)))
    whole = sums(minutes(0, 300)).to_set
    cuts = [0, 1, 24, 25, 100, 299, 300].each_cons(2).map { |from, to| minutes(from, to) }

    assert_equal whole, sums(cuts).to_set
    assert_equal whole, sums(cuts.reverse).to_set
  end

  def test_windows_of_several_lengths_cover_what_they_are_long
    hour = window(0, values: [9_000]).with(start_s: START_S + 3600, seconds: 3600)
    store([window(0, values: [1_000_000]), hour])
    ranges = [minutes(0, 1), Range.new(seconds: 3600, from_s: START_S + 3600, to_s: START_S + 7200)]
    found = sums(ranges)

    assert_equal 1, found.size
    assert_equal 3660, found.first.covered_s
    assert_equal 7200, found.first.window.seconds, "from the first start to the last end"
    assert_equal Histogram.of([1_000_000, 9_000]), found.first.window.histograms[:wall]
  end

  # Windows of one tier are not those of another, though both are in the table.
  def test_reads_only_the_tier_of_the_range
    store([window(0), window(0).with(seconds: 300)])

    assert_equal [60], sums(minutes(0, 5)).map(&:covered_s)
  end

  def test_a_host_is_known_only_if_it_is_the_same_everywhere
    store([window(0), window(1), window(0, name: "B"), window(50, name: "B", host: "b")])
    hosts = sums(minutes(0, 60)).to_h { |sum| [sum.window.series.name, sum.window.host] }

    assert_equal({"A" => "a", "B" => nil}, hosts)
  end

  def test_steps_begin_at_round_times_and_stay_apart
    store(Array.new(30) { |minute| window(minute) })
    found = sums(minutes(0, 30), step_s: 600).map(&:window)

    assert_equal [3, 10, 10, 7], found.sort_by(&:start_s).map(&:count)
    found.drop(1).each { |one| assert_equal 0, one.start_s % 600 }
  end

  # A step of several queries must still be one sum.
  def test_a_step_longer_than_a_query_is_one_sum
    store(Array.new(100) { |minute| window(minute) })
    found = sums(minutes(0, 100), step_s: 86_400)

    assert_equal [100], found.map { |sum| sum.window.count }
    assert_equal (0...100).sum, found.first.window.sums[:gc_ns]
    assert_equal 6000, found.first.covered_s
  end

  def test_a_query_is_short_for_all_series_and_longer_for_few
    store(Array.new(480) { |minute| window(minute) })
    all, one = [nil, [id_of("A")]].map { |ids| queries { sums(minutes(0, 480), ids) }.size }

    assert_includes 20..21, all, "24 starts each, cut at round times"
    assert_includes 2..3, one, "240 starts each, cut at round times"
  end

  def test_chosen_series_only
    store([window(0), window(0, name: "B"), window(0, name: "C")])
    found = sums(minutes(0, 1), [id_of("A"), id_of("C")], together: ALL)

    assert_equal [2], found.map { |sum| sum.window.count }
    assert_equal [ALL], found.map { |sum| sum.window.series }
  end

  def test_a_setting_that_is_not_stored_adds_nothing
    store([window(0)])
    unknown = Holdup::Setting.new(attributes: {"threads" => 99})

    assert_empty sums(minutes(0, 1), settings: [unknown])
    assert_equal [SETTINGS.first], @codec.settings.load.values
  end

  def test_histograms_that_are_not_wanted_are_empty
    store([window(0, values: [5_000] * 4)])
    found = sums(minutes(0, 1), histograms: %i[stalled]).first.window

    assert_equal 4, found.histograms[:stalled].count
    (Window::HISTOGRAMS - %i[stalled]).each { |name| assert_empty found.histograms[name], name }
    assert_equal 4, found.count
  end

  def test_a_damaged_histogram_says_that_the_store_is_damaged
    store([window(0, values: [5_000] * 4)])
    @connection.write { |db| db[:windows].update(wall: Sequel.blob("\x07x")) }

    error = assert_raises(Holdup::StoreError::Corrupt) { @connection.read { sums(minutes(0, 1)) } }
    assert_match(/a histogram can't be read/, error.message)
    assert_equal [4], sums(minutes(0, 1), histograms: %i[stalled]).map { |sum| sum.window.count }
  end
end
