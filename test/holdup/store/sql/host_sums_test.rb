# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/sample_minutes"

# Sums over hosts that the roll-up keeps, against the addition of single windows. PostgreSQL alone has them; a
# file shows the same without a server.
class Holdup::Store::Sql::HostSumsTest < Minitest::Test
  include SampleMinutes
  include TemporaryFolder

  class FleetInFile < Holdup::Store::Sql::Sqlite
    def sums_hosts?
      true
    end
  end

  Sql = Holdup::Store::Sql
  HOUR = 3600
  DAY = 86_400
  ALL = Holdup::Series.new(kind: :request, name: "(all)")
  QUESTIONS = [{}, {step_s: HOUR}, {together: ALL}, {names: "B*"}, {step_s: 60, seconds: 300},
    {by_host: true}, {hosts: ["b"]}, {histograms: %i[stalled]}].freeze

  def setup
    dialect = FleetInFile.new(File.join(folder, "a.sqlite3"))
    @store = Sql.new(dialect)
    @connection = Sql::Connection.new(dialect)
  end

  def teardown
    [@store, @connection].each(&:close)
    super
  end

  def commit(*windows, **options) = @store.commit(windows, {}, **options)

  def of(host, offset = 0, **rest) = minute(offset, **rest).with(host:)

  def rows(table = :host_sums, **only) = @connection.read { |db| db[table].where(only).all }

  def sum(**options) = @store.sums(MINUTE_START, MINUTE_START + HOUR, **options).first

  def assert_as_single_windows(from_s, to_s)
    QUESTIONS.each do |options|
      reading = options.slice(:seconds, :names, :hosts)
      reading[:seconds] ||= options[:step_s]
      windows = @store.windows(from_s, to_s, **reading)
      expected = Holdup::Store::SpanSum.of(windows, **options.except(:seconds, :names, :hosts))
      assert_equal expected.to_set, @store.sums(from_s, to_s, **options).to_set, "#{from_s} #{options}"
    end
  end

  def test_a_roll_up_adds_the_hosts_up
    commit(of("a"), of("b"), of("c", 1), of("c", 1, name: "B"))
    @store.rollup(MINUTE_START + 2 * DAY)

    assert_equal [[300, 3], [300, 1], [HOUR, 3], [HOUR, 1], [DAY, 3], [DAY, 1]].sort,
      rows.map { |row| row.values_at(:seconds, :windows) }.sort
    assert_as_single_windows(MINUTE_START, MINUTE_START + HOUR)
  end

  def test_a_question_about_all_hosts_reads_the_sums
    commit(of("a"), of("b"))
    @store.rollup(MINUTE_START + 2 * DAY)
    @connection.write { |db| db[:windows].where(seconds: HOUR).update(wall: Sequel.blob("\x07x")) }

    assert_equal [2, 2 * HOUR, nil], [sum.window.count, sum.covered_s, sum.window.host]
    assert_equal 2, sum.window.histograms[:wall].count
    [{by_host: true}, {hosts: ["a"]}].each do |options|
      assert_raises(Holdup::DamagedData, options.inspect) { sum(**options) }
    end
  end

  def test_the_only_host_of_a_sum_is_named
    commit(of("a"), of("b", name: "B"))
    @store.rollup(MINUTE_START + 2 * DAY)
    sums = @store.sums(MINUTE_START, MINUTE_START + HOUR).map(&:window)
    hosts = sums.to_h { |one| [one.series.name, one.host] }

    assert_equal({minute.series.name => "a", "B" => "b"}, hosts)
  end

  def test_what_comes_late_is_in_a_row_of_its_host
    commit(of("a"), of("b"))
    @store.rollup(MINUTE_START + 2 * DAY)
    commit(of("b", 1))
    commit(of("b", 2, values: [7_000, 9_000]), of("c", 2))

    late = rows(seconds: HOUR).map { |row| row.values_at(:late_host_id, :windows, :count).map(&:to_i) }
    assert_equal [[0, 2, 2], [2, 0, 3], [3, 1, 1]], late.sort, "b has the row already, c has not"
    assert_as_single_windows(MINUTE_START, MINUTE_START + HOUR)
  end

  def test_pruning_adds_up_what_came_late
    commit(of("a"), of("b"))
    @store.rollup(MINUTE_START + 2 * DAY)
    commit(of("b", 1), of("c", 2), of("c", 20, name: "B"))
    before = @store.sums(MINUTE_START, MINUTE_START + HOUR)
    @store.prune(MINUTE_START + 2 * DAY)

    assert_empty rows.reject { |row| row[:late_host_id].zero? }
    assert_equal [[4, 3], [1, 1]].sort,
      rows(seconds: HOUR).map { |row| row.values_at(:count, :windows).map(&:to_i) }.sort
    assert_equal before.to_set, @store.sums(MINUTE_START, MINUTE_START + HOUR).to_set
    assert_as_single_windows(MINUTE_START, MINUTE_START + HOUR)
  end

  def test_pruning_loses_only_what_is_damaged
    commit(of("a"))
    @store.rollup(MINUTE_START + 2 * DAY)
    commit(of("b", 1), of("c", 2))
    damaged = @connection.read { |db| db[:host_sums].max(:late_host_id) }
    @connection.write { |db| db[:host_sums].where(late_host_id: damaged).update(wall: Sequel.blob("\x07x")) }
    @store.prune(MINUTE_START + 2 * DAY)

    assert_equal 2, sum.window.count
    assert_equal 2, sum.window.histograms[:wall].count
  end

  def test_a_damaged_late_row_is_replaced
    commit(of("a"))
    @store.rollup(MINUTE_START + 2 * DAY)
    commit(of("a", 1))
    @connection.write { |db| db[:host_sums].exclude(late_host_id: 0).update(wall: Sequel.blob("\x07x")) }
    commit(of("a", 2))

    assert_equal 2, sum.window.histograms[:wall].count
  end

  def test_windows_of_another_store_are_added
    long = of("a").with(seconds: HOUR)
    @store.rollup(MINUTE_START + 2 * DAY)
    commit(of("a").with(start_s: MINUTE_START + 3 * DAY))
    @store.rollup(MINUTE_START + 5 * DAY)
    commit(long, long.with(host: "b"), lengths: [60, 300, HOUR])

    assert_equal 2, sum.window.count
    assert_as_single_windows(MINUTE_START, MINUTE_START + DAY)
  end

  def test_pruned_windows_are_in_no_sum
    commit(of("a"), of("b"))
    @store.rollup(MINUTE_START + 2 * DAY)
    @store.prune(MINUTE_START + 20 * DAY)

    assert_equal [HOUR, DAY], rows.map { |row| row[:seconds] }.uniq.sort
    assert_equal 2, sum.window.count
    @store.prune(MINUTE_START + 402 * DAY)
    assert_empty rows
  end

  def test_says_when_a_setting_was_seen
    commit(of("a"), of("b", 70))
    before = @store.setting_starts(MINUTE_START, MINUTE_START + DAY, step_s: HOUR)
    @store.rollup(MINUTE_START + 2 * DAY)

    after = @store.setting_starts(MINUTE_START, MINUTE_START + DAY, step_s: HOUR)
    assert_equal before.map { |at_s, setting| [at_s / HOUR, setting] },
      after.map { |at_s, setting| [at_s / HOUR, setting] }
  end

  one_ruby def test_any_order_of_commits_roll_ups_and_prunes_adds_up_the_same
    random = Random.new(Minitest.seed)
    120.times do |step|
      now = MINUTE_START + step * 1200
      some = Array.new(3) do
        of(%w[a b c].sample(random:), random.rand(0..step * 20), name: %w[A B].sample(random:),
          values: [random.rand(1..(1 << 30))])
      end
      commit(*some)
      @store.rollup(now) if random.rand(4).zero?
      @store.prune(now, max_bytes: 1 << 30) if random.rand(8).zero?
    end
    [[0, 60], *Array.new(3) { Array.new(2) { random.rand(0..2500) }.sort }].each do |span|
      assert_as_single_windows(*span.map { |offset| MINUTE_START + offset * 60 })
    end
  end
end
