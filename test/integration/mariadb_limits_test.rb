# frozen_string_literal: true

require "test_helper"
require "contracts/server_limits_contract"
require "holdup/loader"

# What a MariaDB says of its limits, each provoked for real.
class MariadbLimitsTest < Minitest::Test
  include ServerLimitsContract

  Mysql = Holdup::Store::Sql::Mysql
  # Any statement of ours may meet any of them: the server itself signals each.
  NUMBERS = {
    1021 => :server_full, 1114 => :server_full, 1037 => :server_out_of_memory, 1038 => :server_out_of_memory,
    1040 => :server_connections, 1203 => :server_connections, 1153 => :server_limit, 1226 => :server_limit,
    1461 => :server_limit, 1969 => :server_time_limit, 3024 => :server_time_limit,
    1205 => :database_locked, 1213 => :server_conflict, 1020 => :server_conflict, 1317 => :server_cancelled,
    1792 => :server_read_only, 1836 => :server_read_only, 1142 => :denied, 1044 => :denied,
    1045 => :server_login, 1698 => :server_login, 1049 => :server_no_database, 1146 => :table_missing,
    1053 => :server_starting, 1927 => :server_unreachable, 3159 => :server_tls, 1173 => :server_needs_keys,
    3750 => :server_needs_keys, 1366 => :bad_row, 1406 => :bad_row, 1034 => :corrupt_server,
    1194 => :corrupt_server, 145 => :corrupt_server, 1064 => :server_unexpected, 1105 => :server_unexpected,
    1644 => :server_unexpected, 1815 => :server_unexpected
  }.freeze

  SLOW = "SELECT count(*) FROM information_schema.columns WHERE sleep(9) = 0"

  def setup
    skip "no MariaDB here: bin/setup --services installs it" unless MariadbServer.installed?
    super
  end

  def server = MariadbServer.shared

  def test_each_number_that_the_server_signals_has_its_sentence
    NUMBERS.each do |number, kind|
      signal = "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = #{number}, MESSAGE_TEXT = 'the words of #{number}'"
      assert_sentence(kind, /the words of #{number}/, number.to_s) { |db| db.run(signal) }
    end
  end

  def test_a_statement_that_takes_too_long_names_the_limit
    user = new_user("WITH MAX_STATEMENT_TIME 0.2")
    error = assert_raises(Errors::TimeLimit) { progress_behind_a_lock(as(user)) }
    assert_match(/\(GET_LOCK was interrupted after 0\.\d s, max_statement_time is 0\.2 s\); /, error.message)
    assert_match(/raise max_statement_time for this user/, error.message)
    error = assert_raises(Errors::TimeLimit) { connection(as(user)).use { |db| db.fetch(SLOW).all } }
    assert_match(/server allows \(Query .*interrupted .*max_statement_time exceeded/, error.message)
  end

  # The server itself would wait for a day.
  def test_a_table_that_somebody_keeps_locked
    connection(@url).use do |db|
      db.run("LOCK TABLES checkpoints WRITE")
      error = assert_raises(StoreError::Locked) { store(@url, lock_wait_s: 1).checkpoints }
      assert_match(/\(waited 1 s\).*\(Lock wait timeout exceeded; try restarting/, error.message)
    ensure
      db.run("UNLOCK TABLES")
    end
  end

  def test_a_wait_for_a_lock_that_somebody_cancels
    waiting = "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT get_lock%'"
    error = assert_raises(Errors::Cancelled) do
      canceller = Thread.new do
        id = nil
        wait_until { !(id = server.query(waiting)).empty? }
        server.query("KILL QUERY #{id}")
      end
      progress_behind_a_lock(@url)
    ensure
      canceller.join
    end
    assert_match(/\(GET_LOCK was interrupted after/, error.message)
  end

  def test_a_user_without_a_free_connection_waits_for_one
    assert_waits_for_a_connection(as(new_user("WITH MAX_USER_CONNECTIONS 1")), /raise max_user_connections/)
  end

  def test_a_user_who_may_ask_no_more_this_hour
    error = assert_raises(Errors::LimitReached) do
      store(as(new_user("WITH MAX_QUERIES_PER_HOUR 5"))).commit([minute], {})
    end
    assert_match(/'max_(questions|queries_per_hour)' resource.*raise MAX_QUERIES_PER_HOUR/, error.message)
  end

  def test_a_server_that_may_only_be_read
    server.query("SET GLOBAL read_only = ON")
    error = assert_raises(Errors::ReadOnly) { store(as(new_user)).commit([minute], {}) }
    assert_match(/is read-only; name the primary server.*read.only.*\)\z/, error.message)
  ensure
    server.query("SET GLOBAL read_only = OFF")
  end

  def test_a_statement_that_is_longer_than_the_server_takes
    url = as(new_user)
    store(url).commit([minute], {})
    server.query("SET GLOBAL max_allowed_packet = 4096")
    values = (1..300).map { |value| value * 7_919 }
    windows = Array.new(40) { |number| minute(number, name: "#{number}#index", values:) }
    error = assert_raises(Errors::LimitReached) { store(url).commit(windows, {}) }
    assert_match(/max_allowed_packet/, error.message)
    assert_equal 1, units(store(url))
  ensure
    server.query("SET GLOBAL max_allowed_packet = 16777216")
  end

  def test_a_statement_that_somebody_cancels
    error = assert_raises(Errors::Cancelled) do
      connection(@url).use do |db|
        id = db.get(Sequel.function(:connection_id))
        canceller = Thread.new { wait_until { sleeping?(id) } && server.query("KILL QUERY #{id}") }
        db.fetch(SLOW).all
      ensure
        canceller.join
      end
    end
    assert_match(/Query execution was interrupted/, error.message)
  end

  def test_users_and_databases_that_there_are_none_of
    {server.url("limits_1", user: "nobody_there") => Errors::LoginRefused,
     server.url("limits_1", user: new_user, password: "other") => Errors::LoginRefused,
     server.url("nowhere") => Errors::NoDatabase,
     server.url("mysql", user: new_user, password: "secret") => Errors::Denied}.each do |url, kind|
      error = assert_raises(kind) { store(url).checkpoints }
      refute_match(/damaged|backup|other|secret/, error.message)
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

  def test_a_server_that_wants_a_primary_key_for_each_table
    server.query("SET GLOBAL innodb_force_primary_key = ON")
    url = new_url
    store(url).migrate!
    store(url).commit([minute], {"a s" => "1"})
    assert_equal 1, units(store(url))
    assert_sentence(:server_needs_keys, /primary key.*turn innodb_force_primary_key off/, "without") do |db|
      db.run("CREATE TABLE without_key (a int)")
    end
  ensure
    server.query("SET GLOBAL innodb_force_primary_key = OFF")
  end

  # The server makes each table at once, so it can't be taken back.
  def test_a_migration_that_broke_off_goes_on
    url = new_url
    other = url[/limits_\d+/]
    %w[schema_info hosts settings series windows].each do |table|
      create = server.query("SHOW CREATE TABLE #{database}.#{table}").split("\t").last.gsub("\\n", " ")
      server.query("USE #{other}; #{create}")
    end
    server.query("INSERT INTO #{other}.schema_info VALUES (0)")
    assert_raises(Errors::NotMigrated) { store(url).checkpoints }
    store(url).migrate!
    store(url).commit([minute], {})
    assert_equal 1, units(store(url))
  end

  def test_a_migration_removes_no_rows
    store(@url).commit([minute], {})
    server.query("DROP TABLE #{database}.schema_info")
    error = assert_raises(StoreError) { store(@url).migrate! }
    assert_match(/already exists/, error.message)
    assert_equal "1", server.query("SELECT count(*) FROM #{database}.windows")
  end

  private

  def new_url = server.create("limits_#{next_number}")

  def dialect(url, **options) = Mysql.new(url, **options)

  def database = @url[/limits_\d+/]

  def tables_without_key
    keys = "SELECT table_name FROM information_schema.table_constraints " \
      "WHERE table_schema = '#{database}' AND constraint_type = 'PRIMARY KEY'"
    server.query("SELECT table_name FROM information_schema.tables " \
      "WHERE table_schema = '#{database}' AND table_name NOT IN (#{keys})").lines
  end

  def drop_key = server.query("ALTER TABLE #{database}.schema_info DROP PRIMARY KEY")

  # @return [String] name
  def new_user(limits = nil)
    name = "limited_#{next_number}"
    server.query("CREATE USER #{name} IDENTIFIED BY 'secret' #{limits}")
    server.query("GRANT ALL ON `limits\\_%`.* TO #{name}")
    name
  end

  def as(user) = server.url(database, user:, password: "secret")

  def sleeping?(id)
    server.query("SELECT state FROM information_schema.processlist WHERE id = #{id}").match?(/sleep/i)
  end
end
