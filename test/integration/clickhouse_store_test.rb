# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "contracts/collector_kill_contract"
require "contracts/outage_contract"
require "contracts/server_store_contract"
require "contracts/store_contract"
require "holdup/loader"

# One ClickHouse for all, with a database for each store.
module ClickhouseStores
  def setup
    skip "no ClickHouse here: bin/setup --services installs it" unless ClickhouseServer.installed?
    super
  end

  def server = ClickhouseServer.shared

  def new_url
    @@databases = (defined?(@@databases) ? @@databases : 0) + 1
    server.create("stores_#{@@databases}")
  end
end

class ClickhouseStoreTest < Minitest::Test
  include StoreContract
  include ClickhouseStores

  def new_store = Holdup::Store.open(new_url).tap(&:migrate!)

  def teardown
    super if @store
  end

  private

  # Each takes seconds: a server answers later than a file.
  def histories = 1
end

class ClickhouseServerStoreTest < Minitest::Test
  include CommandLine
  include ServerStoreContract
  include ClickhouseStores

  Clickhouse = Holdup::Store::Clickhouse

  def store(url, **options) = Clickhouse.new(url, **options)

  def nowhere(password) = "clickhouse://holdup:#{password}@127.0.0.1:1/holdup"

  def test_a_database_with_tables_of_another_program_is_left_alone
    @url = new_url
    server.query("CREATE TABLE orders (id UInt32) ENGINE = Log", database: @url[/stores_\d+/])
    error = assert_raises(Errors::ForeignTables) { open_store.migrate! }
    assert_match(/\(with the tables orders\); create a database/, error.message)
  end

  def test_of_two_collectors_one_rolls_up_or_prunes
    store = filled
    steps.run do |before, _|
      assert_equal 0, store.rollup(MINUTE_START + DAY)
      assert_equal 0, store.prune(MINUTE_START + 3 * DAY)
      before
    end
    assert_operator store.rollup(MINUTE_START + DAY), :>, 0
    assert_operator store.prune(MINUTE_START + 3 * DAY), :>, 0
  end

  def test_what_a_killed_roll_up_left_behind_counts_for_nothing
    store = filled
    assert_raises(RuntimeError) do
      steps.run do |_, epoch|
        client.run("INSERT INTO windows (step, seconds, start_s, count) VALUES (#{epoch}, 300, 0, 7)")
        raise "killed"
      end
    end
    assert_equal 0, store.rollup(MINUTE_START + DAY), "it waits for the killed one"
    after_a_killed_roll_up
    assert_operator store.rollup(MINUTE_START + DAY), :>, 0
    assert_equal 1, units(store)
    assert_equal 1, client.rows("SELECT sum(count) FROM windows WHERE seconds = 3600").dig(0, 0).to_i
    assert_equal 0, store.windows(0, 1, seconds: 300).count
  end

  # Of one minute each host commits another part; the last host commits again, late.
  def test_a_minute_of_all_hosts_is_the_same_before_and_after_a_step_takes_it
    store = filled
    %w[b c c].each.with_index(1) do |host, steps|
      store.commit([minute.with(host:)], {})
      before = sum_over_hosts(store)
      assert_equal [steps + 1, 60 * [steps + 1, 3].min], before
      store.rollup(MINUTE_START + 60 * steps)
      assert_equal steps, count("host_sums", "seconds = 60")
      [store, open_store].each { |each| assert_equal before, sum_over_hosts(each) }
    end
    assert_equal 0, count("windows"), "no longer window is complete"
    assert_equal %w[a b c], store.windows(MINUTE_START, MINUTE_START + 60).map(&:host).sort
  end

  def test_a_snapshot_shows_the_commits_of_its_beginning
    store = filled
    sample = {at_s: MINUTE_START, host: "a", pid: 7}
    other = open_store
    counts = -> { [units(store), store.processes(0, MINUTE_START + DAY).size] }
    seen = store.snapshot do
      before = counts.call
      other.commit([minute], {}, processes: [sample])
      [before, counts.call]
    end
    assert_equal [[1, 0]] * 2, seen
    assert_equal [2, 1], counts.call
  end

  # Remembers its questions.
  class AskedClient < SimpleDelegator
    def asked = @asked ||= []

    def rows(sql)
      asked << sql
      super
    end
  end

  def test_a_snapshot_asks_once_which_commits_count_and_what_no_step_has_taken
    filled.rollup(MINUTE_START + DAY)
    open_store.commit([minute], {})
    asked = AskedClient.new(client)
    store = Clickhouse.new(@url, client: asked).tap { |one| @opened << one }
    assert_equal [2, 2], store.snapshot { Array.new(2) { units(store) } }
    assert_equal 1, asked.asked.count { |sql| sql.include?("FROM commits") }, asked.asked.join("\n")
  end

  def test_a_snapshot_of_as_many_sessions_as_fit_into_a_statement_and_of_more
    store = filled
    [Clickhouse::Spans::SESSIONS - 1, 1].each_with_index do |count, round|
      client.run("INSERT INTO commits (kind, session, number) " \
        "SELECT 'commit', #{round} * 1000000 + number + 1, 1 FROM system.numbers LIMIT #{count}")
      assert_equal 1, store.snapshot { units(store) }
    end
    store.rollup(MINUTE_START + DAY)
    assert_equal [1, 60], sum_over_hosts(store)
    assert_equal 1, client.rows("SELECT sum(count) FROM windows WHERE seconds = 3600").dig(0, 0).to_i
  end

  # Two collectors of one folder: a volume that two pods share, or one that was thought to be dead.
  def test_of_two_writers_of_one_segment_the_one_that_was_fenced_is_told
    one = open_store
    other = open_store
    one.checkpoints(host: "a")
    one.commit([minute], {"a /x/s" => "1"})
    assert_equal({"a /x/s" => "1"}, other.checkpoints(host: "a"))
    other.commit([minute], {"a /x/s" => "2"})
    assert_raises(StoreError::Locked) { one.commit([minute], {"a /x/s" => "2"}) }
    assert_equal 2, units(other)
    assert_equal({"a /x/s" => "2"}, one.checkpoints(host: "a"))
    one.commit([minute], {"a /x/s" => "3"})
    assert_equal [3, {"a /x/s" => "3"}], [units(one), other.checkpoints]
  end

  # What was read must still hold when it is gone on from.
  def test_a_commit_that_arrived_after_progress_was_read_is_not_repeated
    late, successor = Array.new(2) { open_store }
    assert_empty successor.checkpoints(host: "a")
    late.commit([minute], {"a /x/s" => "1"})
    assert_raises(StoreError::Locked) { successor.commit([minute], {"a /x/s" => "1"}) }
    assert_equal 1, units(successor)
  end

  # Its successor was killed while the block was on its way that closes this one's session.
  def test_what_a_session_was_told_is_stored_is_not_closed_out_later
    one = open_store
    one.commit([minute], {"a /x/s" => "1"})
    held = HoldingClient.new(client, [])
    successor = Clickhouse.new(@url, client: held)
    assert_raises(StoreError::Unreachable) { successor.commit([minute], {"a /x/s" => "2"}) }
    assert_raises(StoreError::Locked) { one.commit([minute], {"a /x/s" => "2"}) }
    done = one.checkpoints(host: "a").fetch("a /x/s").to_i
    one.commit([minute], {"a /x/s" => (done + 1).to_s})
    held.late.each(&:call)
    assert_equal [done + 1] * 2, [one.checkpoints.fetch("a /x/s").to_i, units(one)]
  end

  repeated_everywhere def test_everything_is_counted_once_over_a_network_that_repeats_delays_and_breaks
    lanes = ["a /x", "a /y", "b /x"].map do |scope|
      [scope.split.first, "#{scope}/1.segment", minute(name: scope)]
    end
    @network = UnreliableNetwork.new(random)
    # They would remove copies.
    %w[minutes windows host_sums].each { |table| client.run("SYSTEM STOP MERGES #{table}") }
    @acknowledged = Hash.new(0)
    writers = lanes.product([1, 2]).map do |lane, _|
      Writer.new(*lane, method(:unreliable_store), @acknowledged, random)
    end
    keeper = unreliable_store
    outcomes = Array.new(TURNS) do |turn|
      keeper = unreliable_store if random.rand(10).zero?
      begin
        keeper.rollup(MINUTE_START + turn * 60 + 120) if random.rand(3).zero?
      rescue StoreError
        after_a_killed_roll_up
      end
      assert_lanes(lanes) if (turn % 20).zero?
      writers.sample(random:).write(turn)
    end
    @network.deliver(all: true)
    assert_operator outcomes.count(:committed), :>, TURNS / 8
    assert_operator outcomes.count(:failed), :>, TURNS / 8
    assert_lanes(lanes)
    open_store.rollup(MINUTE_START + 2 * DAY)
    assert_lanes(lanes)
  end

  def test_faults_say_what_to_do_and_never_the_password
    {"nobody:secret@" => /Unknown user|Wrong password/i, "" => /nowhere/}.each do |user, reason|
      url = "clickhouse://#{user}127.0.0.1:#{server.port}/nowhere"
      error = assert_raises(Errors::Unreachable) { Holdup::Store.open(url).checkpoints }
      assert_match(reason, error.message)
      refute_match(/secret/, error.message)
    end
  end

  def test_partitions_are_dropped_when_a_roll_up_has_taken_them
    store = filled
    store.rollup(MINUTE_START + DAY)
    store.prune(MINUTE_START + 4 * DAY)
    assert_equal 1, count("minutes")
    in_days(20) { open_store.commit([minute(20)], {}) }
    in_days(20) do
      store.rollup(MINUTE_START + 5 * DAY)
      store.prune(MINUTE_START + 5 * DAY)
    end
    assert_equal 1, count("minutes")
    assert_equal 2, units(store)
  end

  def test_sums_of_minutes_are_dropped_by_days
    store = filled
    store.commit([minute(2 * DAY / 60)], {})
    store.rollup(MINUTE_START + 3 * DAY)
    assert_equal 2, count("host_sums", "seconds = 60")
    store.prune(MINUTE_START + 6 * DAY)
    assert_equal 1, count("host_sums", "seconds = 60")
    assert_equal 2, units(store)
  end

  def test_what_nothing_needs_is_deleted_after_a_month
    store = filled
    store.commit([], {"a segments/t" => "1"}, paths: {minute(name: "Gone").series => "/gone"},
      processes: [{at_s: MINUTE_START + 6 * DAY, host: "a", pid: 1}])
    store.rollup(MINUTE_START + DAY)
    in_days(20) { store.prune(MINUTE_START + 9 * DAY) }
    assert_equal 0, count("minutes")
    in_days(40) do
      take_over
      open_store.prune(MINUTE_START + 9 * DAY)
    end
    wait_until { count("system.mutations", "database = currentDatabase() AND is_done = 0").zero? }

    assert_equal 1, count("(SELECT DISTINCT session FROM commits)")
    assert_equal 2, units(open_store)
    assert_equal({"a segments/t" => "2"}, open_store.checkpoints)
    assert_empty open_store.paths
    assert_equal 1, open_store.health[:series]
  end

  # The file of `holdup store --help`, as it is.
  def test_the_documented_privileges_are_enough_and_no_more
    other = ClickhouseServer.new.start(users: statements("ClickHouse"))
    %w[holdup others].each { |database| other.create(database) }
    writer, reader = %w[holdup_writer holdup_reader].map { |user| other.url("holdup", user:) }
    open_store(writer).migrate!
    do_all_of_a_collector(open_store(writer))
    assert_equal 1, units(open_store(reader, read_only: true))
    assert_raises(Errors::Denied) { open_store(reader).commit([minute], {}) }
    error = assert_raises(Errors::Denied) { open_store(reader).migrate! }
    assert_match(/grant what `holdup store --help` shows/, error.message)
    assert_raises(StoreError) { open_store(other.url("others", user: "holdup_writer")).migrate! }
  ensure
    other&.stop
  end

  def test_a_store_is_copied_there_and_back
    Dir.mktmpdir do |folder|
      first, last = %w[first last].map { |name| "sqlite://#{folder}/#{name}.sqlite3" }
      source = Holdup::Store.open(first)
      source.commit(Array.new(300) { |i| minute(i, values: [5_000, 1 << 30]) }, {"a /x/s" => "\xFF".b},
        processes: [{at_s: MINUTE_START, host: "a", pid: 7}], skipped: [skipped("A")],
        unit_samples: [ExampleUnits.block([ExampleUnits.unit_sample(1)])], paths: {minute.series => "/1"})
      source.rollup(MINUTE_START + DAY)
      known = [Holdup::Store::Clickhouse::Schema::VERSION, Holdup::Store::Sql::Connection::Schema.new.known]
      [first, @url, last].each_cons(2).zip(known) do |(from, to), schema|
        assert_match(/Copied 300 windows; the counts agree.*schema #{schema}, 1 name/m, copied(from, to))
      end
      there = Holdup::Store.open(last)
      assert_equal minutes_of(source), minutes_of(there), "each minute as it was"
      assert_equal source.checkpoints, there.checkpoints.reject { |name, _| name.start_with?("#copy") }
      others = [there.processes(0, 1 << 40), there.unit_samples(0, 1 << 40), there.paths, there.skipped_rows]
      assert_equal [1, 1, 1, 1], others.map(&:count)
      [source, there].each(&:close)
    end
  end

  # Holds back what closes a session.
  HoldingClient = Struct.new(:client, :late) do
    def location = client.location

    def rows(sql) = client.rows(sql)

    def insert(table, rows)
      return client.insert(table, rows) if rows.none? { |row| row[:kind] == "close" }
      late << -> { client.insert(table, rows) }
      raise Holdup::StoreError::Unreachable.new(location:, reason: "end of file reached")
    end
  end

  # Delivers inserts twice, late, or without an answer.
  class UnreliableNetwork
    def initialize(random)
      @random = random
      @late = []
    end

    def deliver(all: false)
      @late.shuffle!(random: @random)
      @late.shift.call while @late.any? && (all || @random.rand(3).zero?)
    end

    # @yield delivers
    def carry(location, &delivery)
      deliver
      case @random.rand(20)
      when 0 then nil
      when 1 then @late << delivery
      when 2 then yield
      when 3..6 then return 2.times(&delivery)
      when 7
        @late << delivery
        return yield
      else return yield
      end
      raise Holdup::Store::ServerErrors::Unreachable.new(location:, reason: "end of file reached")
    end
  end

  # A client whose writes go over that network.
  UnreliableClient = Struct.new(:client, :network) do
    def location = client.location

    def rows(sql) = client.rows(sql)

    def insert(table, rows)
      network.carry(location) { client.insert(table, rows) } unless rows.empty?
    end

    def run(sql) = network.carry(location) { client.run(sql) }

    def close = nil
  end

  # As a collector does, one of two of a folder: it goes on from the stored checkpoints.
  class Writer
    def initialize(host, segment, minute, opening, acknowledged, random)
      @host = host
      @segment = segment
      @minute = minute.with(host:)
      @opening = opening
      @acknowledged = acknowledged
      @random = random
    end

    # @return [Symbol] what came of it
    def write(turn)
      @store = @done = nil if @random.rand(8).zero?
      @store ||= @opening.call
      @done ||= @store.checkpoints(host: @host)[@segment].to_i
      minute = @minute.with(start_s: @minute.start_s + @random.rand(0..turn) * 60)
      @store.commit([minute], {@segment => (@done + 1).to_s})
      @acknowledged[@segment] = @done += 1
      :committed
    rescue Holdup::StoreError
      @done = nil
      :failed
    end
  end

  # A thousand take three minutes of CPU, because nothing is merged; each run draws others.
  TURNS = Thorough.turns(30, thorough: 60, nightly: 120)

  private

  def client(url = @url) = Clickhouse::HttpClient.new(url)

  def steps = Clickhouse::RollupSteps.new(client)

  def unreliable_store
    Clickhouse.new(@url, client: UnreliableClient.new(client, @network)).tap { |store| @opened << store }
  end

  def count(table, condition = "1")
    client.rows("SELECT count() FROM #{table} WHERE #{condition}").dig(0, 0).to_i
  end

  # @return [Array(Integer, Integer)] units, and seconds that processes were there
  def sum_over_hosts(store)
    sums = store.snapshot { store.sums(MINUTE_START, MINUTE_START + 60, seconds: 60) }
    [sums.sum { |sum| sum.window.count }, sums.sum(&:covered_s)]
  end

  # As the next collector of a folder does.
  def take_over
    store = open_store
    store.checkpoints(host: "a")
    store.commit([minute(5000)], {"a segments/t" => "2"})
  end

  # As if two minutes had passed since a roll-up was killed.
  def after_a_killed_roll_up
    rows = client.rows("SELECT epoch, slot FROM steps WHERE kind = 'claim'")
    rows.each { |epoch, slot| client.insert("steps", [{kind: "claim", epoch:, slot:, text: "", written: 0}]) }
  end

  def assert_lanes(lanes)
    store = open_store
    checkpoints = store.checkpoints
    @acknowledged.each { |segment, done| assert_operator checkpoints[segment].to_i, :>=, done }
    span = [MINUTE_START, MINUTE_START + 2 * DAY]
    [60, 300, 3600, DAY].each do |seconds|
      windows = store.windows(*span, seconds:).group_by(&:series)
      sums = store.sums(*span, seconds:).map(&:window).group_by(&:series)
      lanes.each do |_, segment, minute|
        counted = [windows, sums].map { |all| all.fetch(minute.series, []).sum(&:count) }
        assert_equal [checkpoints[segment].to_i] * 2, counted, "#{segment} in windows of #{seconds} s"
      end
    end
  end

  def minutes_of(store)
    store.windows(MINUTE_START, MINUTE_START + DAY, seconds: 60).map(&:hash).sort
  end

  # @return [String] what the commands say
  def copied(from, to)
    said = [%W[copy #{from} #{to}], %W[status --store #{to}]].map do |words|
      holdup("store", *words, now_s: MINUTE_START + 2 * DAY)
    end
    assert_equal [0, 0], said.map(&:status), said.map(&:err).join
    said.map(&:out).join
  end

  def in_days(days, &)
    Clickhouse.stub(:day, ->(ago_s = 0) { (Time.now.utc + days * DAY - ago_s).strftime("%F") }, &)
  end
end

class ClickhouseFullDiskTest < Minitest::Test
  include SampleMinutes
  include SmallFileSystem

  def test_a_full_disk_is_said_and_passes
    skip "no ClickHouse here: bin/setup --services installs it" unless ClickhouseServer.installed?
    on_tmpfs("size=8m") do |folder|
      server = ClickhouseServer.new(data: "#{folder}/data").start
      store = Holdup::Store.open(server.create("full"))
      store.migrate!
      store.commit([minute], {})
      filled(folder) do
        assert_raises(Holdup::StoreError::Full) { 50.times { |i| store.commit([minute(i)], {}) } }
      end
      before = units(store)
      store.commit([minute], {})
      assert_equal before + 1, units(store)
    ensure
      store&.close
      server&.stop
    end
  end
end

class ClickhouseCollectorKillTest < Minitest::Test
  include ServerKillContract
  include ClickhouseStores
end

class ClickhouseOutageTest < Minitest::Test
  include OutageContract
  include ClickhouseStores

  def reach(url)
    client = Holdup::Store::Clickhouse::HttpClient.new(url, answer_s: ANSWER_S)
    Holdup::Store::Clickhouse.new(url, client:).tap { |store| @stores << store }
  end

  def words_of_commit = "INSERT INTO commits"

  def wrong_password = server.url(@url[/stores_\d+/], user: "nobody", password: "wrong-secret")
end
