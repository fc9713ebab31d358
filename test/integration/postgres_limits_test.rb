# frozen_string_literal: true

require "test_helper"
require "contracts/server_limits_contract"
require "holdup/loader"
require "pg"
require "rack/mock_request"

# What a PostgreSQL says of its limits, each provoked for real.
class PostgresLimitsTest < Minitest::Test
  include CommandLine
  include ServerLimitsContract

  Postgres = Holdup::Store::Sql::Postgres
  # Any statement of ours may meet any of them: the server itself raises each.
  STATES = {
    "53100" => :server_full, "53200" => :server_out_of_memory, "53300" => :server_connections,
    "53400" => :server_limit, "54001" => :server_limit, "55P03" => :database_locked,
    "57014" => :server_cancelled, "57P01" => :server_unreachable, "57P03" => :server_starting,
    "25006" => :server_read_only, "25P03" => :server_time_limit, "25P04" => :server_time_limit,
    "28P01" => :server_login, "28000" => :server_login, "3D000" => :server_no_database,
    "42501" => :denied, "42P01" => :table_missing, "3F000" => :table_missing, "40001" => :server_conflict,
    "40P01" => :server_conflict, "08006" => :server_unreachable, "22021" => :bad_row, "23505" => :bad_row,
    "XX001" => :corrupt_server, "XX002" => :corrupt_server, "XX000" => :server_unexpected,
    "42601" => :server_unexpected, "P0001" => :server_unexpected, "0A000" => :server_unexpected
  }.freeze

  def setup
    skip "no PostgreSQL here: bin/setup --services installs it" unless PostgresServer.installed?
    super
  end

  def server = PostgresServer.shared

  def test_each_code_that_the_server_raises_has_its_sentence
    STATES.each do |state, kind|
      raising = "DO $$ BEGIN RAISE EXCEPTION 'the words of %', '#{state}' USING ERRCODE = '#{state}'; END $$"
      assert_sentence(kind, /the words of #{state}/, state) { |db| db.run(raising) }
    end
  end

  def test_a_statement_that_takes_too_long_names_the_limit
    role = new_role("SET statement_timeout = '200ms'")
    error = assert_raises(Errors::TimeLimit) { progress_behind_a_lock(as(role)) }
    assert_match(/the server allows \(canceling statement due to statement timeout\); /, error.message)
    assert_match(/raise statement_timeout for this user/, error.message)
  end

  def test_a_lock_that_is_not_free_in_time_says_how_long_it_was_waited_for
    error = assert_raises(StoreError::Locked) { progress_behind_a_lock(@url, lock_wait_s: 0.2) }
    assert_match(/\(waited 0\.2 s\); .*\(canceling statement due to lock timeout\)\z/, error.message)
  end

  def test_a_statement_that_somebody_cancels
    cancelling = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity " \
      "WHERE query LIKE '%pg_sleep(9)%' AND pid <> pg_backend_pid()"
    error = assert_raises(Errors::Cancelled) do
      connection(@url).use do |db|
        canceller = Thread.new { wait_until { server.query(cancelling) == "t" } }
        db.run("SELECT pg_sleep(9)")
      ensure
        canceller.join
      end
    end
    assert_match(/\(canceling statement due to user request\)/, error.message)
  end

  def test_a_transaction_whose_collector_stood_still
    error = assert_raises(Errors::TimeLimit) do
      connection(@url).write do |db|
        db.run("SET LOCAL idle_in_transaction_session_timeout = '50ms'")
        wait_until { idle_transactions.zero? }
        db[:hosts].count
      end
    end
    assert_match(/raise idle_in_transaction_session_timeout/, error.message)
  end

  def test_a_role_without_a_free_connection_waits_for_one
    role = new_role
    server.query("ALTER ROLE #{role} CONNECTION LIMIT 1")
    assert_waits_for_a_connection(as(role), /too many connections for role.*raise .*CONNECTION LIMIT/)
  end

  def test_a_page_and_the_doctor_say_the_same_in_the_language_of_the_reader
    role = new_role
    server.query("ALTER ROLE #{role} CONNECTION LIMIT 0")
    web = Holdup::Web.new(store: -> { store(as(role), read_only: true) }, dir: "/nonexistent", auth: :none)
    page = Rack::MockRequest.new(web).get("/?lang=ja")
    assert_equal 503, page.status
    said = holdup("doctor", "--store", as(role), "--dir", "/nonexistent", "--lang", "ja")
    assert_equal 1, said.status
    # The doctor breaks its lines between any two words.
    [page.body.gsub("&quot;", '"'), said.out].map { |text| text.gsub(/\s+/, "") }.each do |text|
      assert_match(/に空いている接続がありません.*toomanyconnectionsforrole/, text)
      assert_match(%r{max_connections/CONNECTIONLIMITを増やすか}, text)
    end
  end

  def test_a_role_that_may_only_read
    error = assert_raises(Errors::ReadOnly) do
      store(as(new_role("SET default_transaction_read_only = on"))).commit([minute], {})
    end
    assert_match(/is read-only; name the primary server.*\(cannot execute .* in a read-only transaction\)\z/,
      error.message)
  end

  def test_users_and_databases_that_there_are_none_of
    {
      as("nobody_there") => [Errors::LoginRefused, /role "nobody_there" does not exist/],
      @url.sub(%r{/postgres\?}, "/nowhere?") => [Errors::NoDatabase, /database "nowhere" does not exist/]
    }.each do |url, (kind, words)|
      error = assert_raises(kind) { store(url).checkpoints }
      assert_match(words, error.message)
    end
  end

  def test_a_server_without_tls
    url = "#{@url}&sslmode=require".sub(/host=[^&]+/, "host=127.0.0.1&port=1")
    assert_raises(Errors::Unreachable) { store(url).checkpoints }
    PostgresServer.run(port: FreePorts.take) do |postgres|
      error = assert_raises(Errors::TlsFailed) { store("#{postgres.url}?sslmode=require").checkpoints }
      assert_match(/server does not support SSL.*check the TLS options/, error.message)
    end
  end

  def test_a_connection_that_ends_before_all_is_written_is_replaced
    turns = 0
    connection(@url).write do |db|
      db[:hosts].insert(name: "a")
      server.disconnect if (turns += 1) == 1
      db[:hosts].insert(name: "b")
    end
    assert_equal [2, 2], [turns, connection(@url).read { |db| db[:hosts].count }]
  end

  def test_a_read_that_has_handed_rows_out_does_not_begin_again
    store(@url).commit([minute(0), minute(1)], {})
    counts = []
    assert_raises(StoreError) do
      store(@url).windows(0, MINUTE_START * 2).each do |window|
        counts << window.count
        raise Errors::ConnectionLost.new(location: "x", reason: "reset")
      end
    end
    assert_equal [1], counts
  end

  # As change capture has it.
  def test_a_server_that_publishes_all_tables
    url = server.create("published")
    server.query("CREATE PUBLICATION everything FOR ALL TABLES", database: "published")
    store(url).migrate!
    store(url).commit([minute], {"a s" => "1"})
    assert_equal 1, units(store(url))
    server.query("ALTER TABLE holdup.checkpoints DROP CONSTRAINT checkpoints_pkey", database: "published")
    error = assert_raises(Errors::NeedsKeys) { store(url).commit([minute], {"a s" => "2"}) }
    assert_match(/primary key \(cannot delete from table "checkpoints".*replica identity/, error.message)
  end

  def test_a_query_on_a_standby_that_must_apply_changes
    with_standby do |primary, url|
      reader = store(url, read_only: true)
      seen = []
      error = assert_raises(Errors::RecoveryConflict) do
        connection(url, read_only: true).read(again: ->(_error) { false }) do |db|
          seen << db[:windows].count
          remove_all(primary)
          wait_until { db.get(Sequel.lit("(SELECT count(*) FROM holdup.windows)")).nil? }
        end
      end
      assert_equal [1], seen
      assert_match(/is a standby, which ended .*conflict with recovery.*hot_standby_feedback/, error.message)
      assert_equal 0, reader.windows(0, 1 << 40).count
    end
  end

  def test_a_read_on_a_standby_runs_again_after_a_conflict
    with_standby do |primary, url|
      turns = 0
      reader = store(url, read_only: true)
      found = reader.snapshot do
        count = reader.windows(0, 1 << 40).count
        remove_all(primary) if (turns += 1) == 1
        wait_until { turns > 1 || reader.checkpoints.nil? }
        count
      end
      assert_equal [2, 0], [turns, found]
    end
  end

  private

  def new_url = "#{server.url}&search_path=limits_#{next_number}"

  def dialect(url, **options) = Postgres.new(url, **options)

  def tables_without_key
    schema = @url[/search_path=(\w+)/, 1]
    server.query("SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace " \
      "WHERE n.nspname = '#{schema}' AND c.relkind = 'r' AND NOT EXISTS " \
      "(SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)").lines
  end

  def drop_key
    connection(@url).use do |db|
      db.run("ALTER TABLE #{@url[/search_path=(\w+)/, 1]}.schema_info DROP CONSTRAINT schema_info_pkey")
    end
  end

  # @return [String] name
  def new_role(setting = nil)
    name = "limited_#{next_number}"
    server.query("CREATE ROLE #{name} LOGIN SUPERUSER")
    server.query("ALTER ROLE #{name} #{setting}") if setting
    server.query("ALTER ROLE #{name} NOSUPERUSER; GRANT pg_read_all_data, pg_write_all_data TO #{name}")
    name
  end

  def as(role) = @url.sub(/user=\w+/, "user=#{role}")

  def idle_transactions
    server.query("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'").to_i
  end

  # @yieldparam primary [PostgresServer]
  # @yieldparam url [String] of the standby, which waits for no query
  def with_standby
    primary = PostgresServer.new(replicated: true).start
    primary.query("ALTER SYSTEM SET max_standby_streaming_delay = 0")
    url = primary.create("shop")
    store(url).tap(&:migrate!).commit([minute], {})
    standby = primary.replica
    wait_until { standby.query("SELECT count(*) FROM holdup.windows", database: "shop") == "1" }
    yield primary, standby.url("shop")
  ensure
    @opened.each(&:close)
    [standby, primary].compact.each(&:stop)
  end

  def remove_all(primary)
    primary.query("DELETE FROM holdup.windows", database: "shop")
    primary.query("VACUUM holdup.windows", database: "shop")
  end
end
