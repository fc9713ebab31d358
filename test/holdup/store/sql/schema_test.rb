# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sqlite3"

class Holdup::Store::Sql::SchemaTest < Minitest::Test
  include SampleMinutes
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  NEXT = Sql::Schema.new.known + 1
  MARK = 0x484C4450

  def test_an_older_store_is_brought_forward_with_everything_in_it
    fill
    connection = Sql::Connection.new(Sql::Sqlite.new(path), schema: next_schema)

    assert_equal NEXT, connection.schema_version
    assert_equal([nil], connection.read { |db| db[:hosts].select_map(:region) })
    connection.close
    name = SQLite3::Database.new(path) { |db| break db.get_first_value("SELECT name FROM series") }
    assert_equal "OrdersController#index", name
  end

  # Nothing was released before it.
  def test_the_first_schema_has_version_1
    fill
    assert_equal 1, Sql::Schema.new.known
    assert_equal 1, open_store.health[:schema]
  end

  # A store of a development version.
  def test_a_store_of_an_unknown_version_is_refused_with_its_number
    fill
    SQLite3::Database.new(path) { |db| db.execute("UPDATE schema_info SET version = 7") }
    error = assert_raises(Holdup::StoreError::NewerSchema) { open_store.progress }
    assert_match(/has schema 7, this Holdup knows up to 1; update this Holdup/, error.message)
  end

  def test_a_newer_store_is_refused_and_left_alone
    fill
    Sql::Connection.new(Sql::Sqlite.new(path), schema: next_schema).tap(&:schema_version).close
    [false, true].each do |read_only|
      error = assert_raises(Holdup::StoreError::NewerSchema) { open_store(read_only:).progress }
      assert_match(/has schema #{NEXT}, this Holdup knows up to #{NEXT - 1}; update/, error.message)
    end
  end

  # The dashboard asks again with each page.
  def test_closes_the_handle_of_a_refused_store
    fill
    Sql::Connection.new(Sql::Sqlite.new(path), schema: next_schema).tap(&:schema_version).close
    before = handles
    3.times { assert_raises(Holdup::StoreError::NewerSchema) { open_store(read_only: true).progress } }
    File.write(path, "a letter " * 1000)
    [false, true].each do |read_only|
      assert_raises(Holdup::StoreError::NotOurs) { open_store(read_only:).progress }
    end

    assert_equal before, handles
  end

  def handles
    Dir["/proc/self/fd/*"].count { |fd| File.symlink?(fd) && File.readlink(fd).start_with?(folder) }
  end

  def test_a_reader_of_an_older_store_says_who_can_bring_it_forward
    fill
    reader = Sql::Connection.new(Sql::Sqlite.new(path, read_only: true), schema: next_schema)

    assert_match(/holdup collect once/,
      assert_raises(Holdup::StoreError::OlderSchema) { reader.read { nil } }.message)
  ensure
    reader&.close
  end

  def test_a_file_that_is_just_being_made
    folder
    File.write(path, "")
    assert_match(/the collector is just making it/,
      assert_raises(Holdup::StoreError::Unreachable) { open_store(read_only: true).progress }.message)
  end

  def test_refuses_a_database_of_another_program
    folder
    SQLite3::Database.new(path) { |db| db.execute("CREATE TABLE orders (id INTEGER)") }
    error = assert_raises(Holdup::StoreError::NotOurs) { open_store(read_only: true).progress }
    assert_match(/is not a store of Holdup \(it is a database of something else, with the tables orders\)/,
      error.message)
  end

  def test_processes_that_start_at_once_make_one_store
    folder
    pids = Array.new(6) do
      fork do
        open_store(busy_s: 10).commit([minute], {Process.pid.to_s => "x"})
        exit!(0)
      end
    end
    statuses = pids.map { |pid| Process.wait2(pid).last.exitstatus }

    assert_equal [0] * 6, statuses
    assert_equal [6, 6], [units(open_store), open_store.progress.size]
  end

  # The file has its mark and its journal, as it has between the two steps of its first opening.
  def test_waits_for_another_process_that_writes_while_it_makes_the_tables
    folder
    other = SQLite3::Database.new(path)
    other.execute_batch("PRAGMA journal_mode = WAL; PRAGMA application_id = #{MARK}; BEGIN IMMEDIATE")
    store = Thread.new { open_store(busy_s: 10).tap { |made| made.commit([minute], {}) } }
    store.report_on_exception = false
    wait_until { store.stop? }
    other.execute("COMMIT")

    assert_equal 1, units(store.value)
  ensure
    other&.close
  end

  private

  def path = File.join(folder, "a.sqlite3")

  def open_store(**options)
    Sql.new(Sql::Sqlite.new(path, **options)).tap { |store| (@made ||= []) << store }
  end

  def teardown
    @made&.each(&:close)
    super
  end

  def fill
    open_store.tap { |store| store.commit([minute], {}) }.close
  end

  # The schema of some later Holdup.
  def next_schema
    later = File.join(folder, "migrations").tap { |made| FileUtils.mkdir_p(made) }
    FileUtils.cp(Dir["#{Sql::Schema::FOLDER}/*.rb"], later)
    File.write(File.join(later, "#{format("%03d", NEXT)}_add_region.rb"),
      "Sequel.migration { up { alter_table(:hosts) { add_column :region, String } } }")
    Sql::Schema.new(folder: later)
  end
end
