# frozen_string_literal: true

require "test_helper"
require "contracts/collector_kill_contract"
require "contracts/emptied_stores"
require "contracts/full_disk_contract"
require "contracts/outage_contract"
require "contracts/sql_server_store_contract"
require "contracts/store_contract"
require_relative "../support/query_plans"
require "holdup/loader"

# One PostgreSQL for all, with a schema for each store.
module PostgresStores
  def setup
    skip "no PostgreSQL here: bin/setup --services installs it" unless PostgresServer.installed?
    super
  end

  def server = PostgresServer.shared

  def new_url
    @@schemas = (defined?(@@schemas) ? @@schemas : 0) + 1
    "#{server.url}&search_path=stores_#{@@schemas}"
  end
end

class PostgresStoreTest < Minitest::Test
  include StoreContract
  include EmptiedStores
  include PostgresStores

  def teardown
    super if @store
  end

  private

  # Each takes seconds: a server answers later than a file.
  def histories = 1
end

class PostgresServerStoreTest < Minitest::Test
  include QueryPlans
  include SqlServerStoreContract
  include PostgresStores

  def dialect(url, **options) = Sql::Postgres.new(url, **options)

  def test_pruning_finds_what_is_old_by_an_index
    filled.rollup(MINUTE_START + DAY)
    found = plans(dialect(@url)) { |store| assert_equal 1, store.prune(MINUTE_START + 3 * DAY) }
    assert_operator found.keys.grep(/\ADELETE/).size, :>, 5
    assert_empty scans(found)
  end

  def nowhere(password) = "postgres://holdup:#{password}@127.0.0.1:1/holdup"

  def test_a_schema_with_tables_of_another_program_is_left_alone
    @url = new_url
    schema = @url[/search_path=(\w+)/, 1]
    server.query("CREATE SCHEMA #{schema}; CREATE TABLE #{schema}.orders (id int)")
    error = assert_raises(Errors::ForeignTables) { open_store.migrate! }
    assert_match(/\(with the tables orders\); create a database/, error.message)
  end

  # A host's windows fit into 64 bits, those of many hosts need not.
  def test_sums_over_hosts_may_be_larger_than_a_column_of_one_host
    store = open_store
    large = minute.with(sums: minute.sums.merge(hold_squares_us2: (1 << 63) - 1))
    store.commit(%w[a b c].map { |host| large.with(host:) }, {})
    store.rollup(MINUTE_START + 2 * DAY)
    sums = store.sums(MINUTE_START, MINUTE_START + 3600)
    assert_equal [3 * ((1 << 63) - 1)], sums.map { |sum| sum.window.sums[:hold_squares_us2] }
  end

  # PgBouncer gives each transaction any of its connections.
  def test_leaves_nothing_in_a_session
    dialect(@url).connect.tap do |db|
      before = settings(db)
      dialect(@url).write(db, locks: ["host a"]) { nil }
      dialect(@url).read(db) { nil }
      assert_equal before, settings(db)
      assert_equal 0, db[:pg_locks].where(locktype: "advisory").count
    ensure
      db.disconnect
    end
  end

  private

  def with_privileges
    url = server.create("privileges")
    open_store(url).migrate!
    server.query(statements("PostgreSQL"), database: "privileges")
    [url, *%w[holdup_writer holdup_reader].map { |role| url.sub(/user=\w+/, "user=#{role}") }]
  end

  def settings(db)
    db[:pg_settings].where(name: %w[search_path lock_timeout idle_in_transaction_session_timeout])
      .select_hash(:name, :setting)
  end
end

class PostgresCollectorKillTest < Minitest::Test
  include ServerKillContract
  include PostgresStores
end

class PostgresOutageTest < Minitest::Test
  include OutageContract
  include PostgresStores

  Sql = Holdup::Store::Sql

  def reach(url) = Sql.new(Sql::Postgres.new(url, answer_s: ANSWER_S)).tap { |store| @stores << store }

  def words_of_commit = "COMMIT\0"

  def wrong_password
    rules = File.join(@url[/host=([^&]+)/, 1], "data", "pg_hba.conf")
    text = File.read(rules)
    File.write(rules, "local all locked scram-sha-256\n#{text}") unless text.include?("locked")
    server.query("CREATE ROLE locked LOGIN PASSWORD 'right'; SELECT pg_reload_conf()")
    "#{@url.sub(/user=\w+/, "user=locked")}&password=wrong-secret"
  end

  # Its address leads to the replica from then on, which takes no writes before it is promoted.
  def test_a_failover_to_a_replica
    with_replica do |primary, replica, proxy|
      collector = new_collector(reach(proxy.url))
      writer = new_writer
      2.times { carry(collector, writer) }
      wait_until { replica.query("SELECT count(*) FROM holdup.windows", database: "shop").to_i.positive? }
      primary.crash
      carry(collector, writer)
      assert_match(/can't be opened/, @log.lines.last)
      proxy.lead_to(replica.url("shop"))
      carry(collector, writer)
      assert_match(/is read-only; name the primary server/, @log.lines.last)
      replica.promote
      attempt(collector)
      assert_equal "collecting again", @log.lines.last
      assert_exact
    end
  end

  # What a replica lacks that lags behind is in the segments.
  def test_a_failover_to_an_earlier_state
    @url = server.create("shop")
    Holdup::Store.open(@url).tap(&:migrate!).close
    collector = new_collector
    writer = new_writer
    carry(collector, writer)
    @stores.last.close
    server.create("replica", template: "shop")
    3.times { carry(collector, writer) }
    assert_equal 4, counted
    record(writer)
    fail_over("replica", "shop")
    assert_equal 1, counted
    2.times { attempt(collector) }
    assert_exact
  end

  # Then it has what the living segments have.
  def test_a_failover_to_an_empty_server
    @url = server.create("empty")
    Holdup::Store.open(@url).tap(&:migrate!).close
    collector = new_collector
    writer = new_writer
    2.times { carry(collector, writer) }
    server.disconnect
    server.query("DROP DATABASE empty")
    record(writer)
    2.times { attempt(collector) }
    assert_match(/does not exist.*; check the name of the database/, @log.lines.last)
    server.create("empty")
    attempt(collector)
    assert_match(/no tables of Holdup.*; run `holdup store migrate` once/, @log.lines.last)
    Holdup::Store.open(@url).tap(&:migrate!).close
    attempt(collector)
    assert_exact
  end

  private

  def carry(collector, writer)
    record(writer)
    attempt(collector)
  end

  # @yieldparam primary [PostgresServer]
  # @yieldparam replica [PostgresServer]
  # @yieldparam proxy [StallingProxy] the address of the store, which leads to the primary
  def with_replica
    primary = PostgresServer.new(replicated: true).start
    url = primary.create("shop")
    Holdup::Store.open(url).tap(&:migrate!).close
    replica = primary.replica
    StallingProxy.before(url) do |proxy|
      @url = proxy.url
      yield primary, replica, proxy
    end
  ensure
    [primary, replica].compact.each(&:stop)
  end

  def fail_over(from, to)
    server.disconnect
    server.query("ALTER DATABASE #{to} RENAME TO #{to}_before")
    server.query("ALTER DATABASE #{from} RENAME TO #{to}")
  end
end

# The tables are on a small disk of their own.
class PostgresFullDiskTest < Minitest::Test
  include PostgresStores
  include FullDiskContract

  def small_disk = "size=24m,mode=777"

  private

  def with_tables_on(disk)
    tables = File.join(disk, "tables")
    Dir.mkdir(tables)
    FileUtils.chown(File.stat(server.url[/host=([^&]+)/, 1]).uid, nil, tables)
    server.query("CREATE TABLESPACE small LOCATION '#{tables}'")
    server.query("CREATE DATABASE full_disk TABLESPACE small")
    Holdup::Store.open(server.url("full_disk")).tap(&:migrate!).close
    yield server.url("full_disk")
  ensure
    server.disconnect
    server.query("DROP DATABASE IF EXISTS full_disk")
    server.query("DROP TABLESPACE IF EXISTS small")
  end

  def counted(url)
    store = Holdup::Store.open(url, read_only: true)
    store.windows(0, 1 << 40, kinds: [:request]).sum(&:count)
  ensure
    store&.close
  end
end
