# frozen_string_literal: true

require "test_helper"
require "contracts/collector_kill_contract"
require "contracts/emptied_stores"
require "contracts/full_disk_contract"
require "contracts/outage_contract"
require "contracts/sql_server_store_contract"
require "contracts/store_contract"
require "holdup/loader"

# One MariaDB for all, with a database for each store.
module MariadbStores
  def setup
    skip "no MariaDB here: bin/setup --services installs it" unless MariadbServer.installed?
    super
  end

  def server = MariadbServer.shared

  def new_url
    @@databases = (defined?(@@databases) ? @@databases : 0) + 1
    server.create("stores_#{@@databases}")
  end
end

class MariadbStoreTest < Minitest::Test
  include StoreContract
  include EmptiedStores
  include MariadbStores

  def teardown
    super if @store
  end

  private

  # Each takes seconds: a server answers later than a file.
  def histories = 1
end

class MariadbServerStoreTest < Minitest::Test
  include SqlServerStoreContract
  include MariadbStores

  def dialect(url, **options) = Sql::Mysql.new(url, **options)

  def nowhere(password) = "trilogy://holdup:#{password}@127.0.0.1:1/holdup"

  def test_a_database_with_tables_of_another_program_is_left_alone
    @url = new_url
    server.query("CREATE TABLE #{@url[%r{/(stores_\d+)\?}, 1]}.orders (id int)")
    error = assert_raises(Errors::ForeignTables) { open_store.migrate! }
    assert_match(/\(with the tables orders\); create a database/, error.message)
  end

  # Names differ by case, accent and spaces at the end; the server compares text loosely by default.
  def test_names_are_compared_byte_by_byte
    names = ["Report", "report", "Réport", "Report "]
    open_store.commit(names.map { |name| minute(name:) }, {})
    assert_equal names.sort, open_store.windows(0, MINUTE_START * 2).map { |one| one.series.name }.sort
  end

  # A server that limits the length of what it concatenates cuts the rest off without an error.
  def test_sums_are_exact_where_the_server_would_cut_them
    store = open_store
    store.commit(Array.new(20) { |i| minute(i, values: (1..300).map { |value| value * 7_919 }) }, {})
    server.query("SET GLOBAL group_concat_max_len = 1024")
    sums = open_store.sums(MINUTE_START, MINUTE_START + DAY)
    assert_equal 6_000, sums.sum { |sum| sum.window.histograms[:wall].count }
  end

  def test_leaves_no_lock_in_a_session
    dialect(@url).connect.tap do |db|
      other = dialect(@url)
      other.write(db, locks: ["host a"]) { other.lock_catalogs(db) }
      other.upkeep(db) { nil }
      assert_equal 0, db.get(Sequel.function(:release_all_locks))
    ensure
      db.disconnect
    end
  end

  private

  def with_privileges
    server.create("holdup")
    server.query(statements("MySQL"))
    owner, *others = %w[owner writer reader].map do |name|
      server.url("holdup", user: "holdup_#{name}", password: "secret")
    end
    open_store(owner).migrate!
    [owner, *others]
  end
end

class MariadbCollectorKillTest < Minitest::Test
  include ServerKillContract
  include MariadbStores
end

class MariadbOutageTest < Minitest::Test
  include OutageContract
  include MariadbStores

  Sql = Holdup::Store::Sql

  def reach(url) = Sql.new(Sql::Mysql.new(url, answer_s: ANSWER_S)).tap { |store| @stores << store }

  def words_of_commit = "\x03COMMIT"

  def wrong_password
    server.query("CREATE OR REPLACE USER locked IDENTIFIED BY 'right'")
    server.url(@url[%r{/(stores_\d+)\?}, 1], user: "locked", password: "wrong-secret")
  end
end

# The tables are on a small disk of their own: a folder of the server's data that is a link is a database too.
class MariadbFullDiskTest < Minitest::Test
  include MariadbStores
  include FullDiskContract

  def small_disk = "size=16m"

  private

  def with_tables_on(disk)
    FileUtils.mkdir(File.join(disk, "full_disk"))
    FileUtils.ln_s(File.join(disk, "full_disk"), File.join(server.data, "full_disk"))
    Holdup::Store.open(server.url("full_disk")).tap(&:migrate!).close
    yield server.url("full_disk")
  ensure
    server.disconnect
    server.query("DROP DATABASE IF EXISTS full_disk")
  end

  def counted(url)
    store = Holdup::Store.open(url, read_only: true)
    store.windows(0, 1 << 40, kinds: [:request]).sum(&:count)
  ensure
    store&.close
  end
end
