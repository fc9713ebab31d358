# frozen_string_literal: true

require "test_helper"
require "contracts/collector_kill_contract"
require "contracts/emptied_stores"
require "contracts/sql_server_store_contract"
require "contracts/store_contract"
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
  include SqlServerStoreContract
  include PostgresStores

  def dialect(url, **options) = Sql::Postgres.new(url, **options)

  def nowhere(password) = "postgres://holdup:#{password}@127.0.0.1:1/holdup"

  def test_a_schema_with_tables_of_another_program_is_left_alone
    @url = new_url
    schema = @url[/search_path=(\w+)/, 1]
    server.query("CREATE SCHEMA #{schema}; CREATE TABLE #{schema}.orders (id int)")
    error = assert_raises(Errors::ForeignTables) { open_store.migrate! }
    assert_match(/\(with the tables orders\); create a database/, error.message)
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
