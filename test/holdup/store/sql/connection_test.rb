# frozen_string_literal: true

require "test_helper"
require "delegate"
require "holdup/loader"
require "sequel"
require "sqlite3"

class Holdup::Store::Sql::ConnectionTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  StoreError = Holdup::StoreError

  def setup
    @connection = connection
  end

  def teardown
    @connection.close
    @other&.close
    super
  end

  def path = File.join(folder, "a.sqlite3")

  def connection(**options)
    Sql::Connection.new(Sql::Sqlite.new(path, busy_s: 0, **options))
  end

  def hosts(from = @connection) = from.read { |db| db[:hosts].order(:id).select_map(:name) }

  def add(*names)
    @connection.write { |db| names.each { |name| db[:hosts].insert(name:) } }
  end

  def test_opens_nothing_before_the_first_use
    assert_equal 0, @connection.epoch
    refute_path_exists path
    hosts
    assert_equal 1, @connection.epoch
    assert_path_exists path
  end

  def test_a_write_is_whole_or_not_at_all
    assert_raises(RuntimeError) do
      @connection.write do |db|
        db[:hosts].insert(name: "a")
        raise "an error of ours"
      end
    end

    assert_empty hosts
    assert_equal 1, @connection.epoch, "an error of ours needs no new connection"
  end

  # A nested write is part of the outer one.
  def test_a_nested_write_is_taken_back_with_the_outer_one
    assert_raises(RuntimeError) do
      @connection.write do
        add("a")
        assert_equal ["a"], hosts
        raise "later"
      end
    end

    assert_empty hosts
  end

  def test_a_read_sees_one_state_while_another_process_writes
    add("a")
    @other = connection
    @connection.read do |db|
      before = db[:hosts].count
      @other.write { |other| other[:hosts].insert(name: "b") }
      assert_equal before, db[:hosts].count
    end

    assert_equal %w[a b], hosts
  end

  def test_a_bad_row_leaves_the_rest_of_the_write
    fault = nil
    @connection.write do |db|
      db[:hosts].insert(name: "a")
      fault = @connection.attempt do
        db[:hosts].insert(name: "b")
        db[:hosts].insert(name: "a")
      end
      assert_nil @connection.attempt { db[:hosts].insert(name: "c") }
    end

    assert_instance_of StoreError::BadRow, fault
    assert_equal %w[a c], hosts
  end

  # An ArgumentError is of a value that can't be encoded.
  def test_a_row_that_can_not_be_encoded_is_a_fault_of_the_row
    fault = nil
    @connection.write { fault = @connection.attempt { raise ArgumentError, "not a minute" } }

    assert_match(/not a minute/, fault.message)
  end

  def test_another_fault_than_of_a_row_ends_the_write
    assert_raises(StoreError::Full) do
      @connection.write do
        add("a")
        @connection.attempt { raise SQLite3::FullException, "full" }
      end
    end

    assert_empty hosts
  end

  def test_a_reader_never_writes
    add("a")
    reader = connection(read_only: true)

    assert_raises(StoreError::ReadOnly) { reader.write { flunk } }
    assert_equal ["a"], hosts(reader)
  ensure
    reader&.close
  end

  def test_a_file_that_was_moved_away_is_not_written_any_more
    add("a")
    Dir["#{path}*"].each { |file| File.rename(file, file.sub("a.sqlite3", "moved.sqlite3")) }
    add("b")

    assert_equal ["b"], hosts
    assert_equal 2, @connection.epoch
  end

  def test_works_again_after_it_was_closed
    add("a")
    @connection.close
    @connection.close

    assert_equal ["a"], hosts
    assert_equal 2, @connection.epoch
  end

  # A locked store is the same store afterwards; a damaged one may have been replaced.
  def test_opens_again_after_damage_and_not_after_a_lock
    hosts
    assert_raises(StoreError::Locked) { @connection.use { raise SQLite3::BusyException, "busy" } }
    hosts
    assert_equal 1, @connection.epoch
    assert_raises(StoreError::Corrupt) { @connection.use { raise SQLite3::CorruptException, "malformed" } }
    hosts
    assert_equal 2, @connection.epoch
  end

  def test_damaged_data_names_the_store
    error = assert_raises(StoreError::Corrupt) do
      @connection.read { raise Holdup::DamagedData.new("a histogram can't be read", "it ends") }
    end

    assert_includes error.message, path
    assert_includes error.message, "it ends"
  end

  # Inside a transaction the outermost call translates: it must end on the connection where it began.
  def test_an_error_inside_a_nested_read_is_translated_once
    error = assert_raises(StoreError::Locked) do
      @connection.read { @connection.read { raise SQLite3::BusyException, "busy" } }
    end

    assert_equal :database_locked, error.kind
    assert_empty hosts
  end

  # Of a server whose errors a test names, in the order in which they come.
  class Failing < SimpleDelegator
    attr_accessor :before, :at_commit

    def write(db, **)
      super do
        raise before.shift if before&.any?
        yield
      end.tap { raise at_commit.shift if at_commit&.any? }
    end

    def read(db)
      raise before.shift if before&.any?
      super
    end
  end

  Errors = Holdup::Store::ServerErrors
  LOST = Errors::ConnectionLost.new(location: "db", reason: "reset")
  CONFLICT = Errors::Conflict.new(location: "db", reason: "deadlock")
  TIMEOUT = Errors::TimeLimit.new(location: "db", reason: "57014", setting: "statement_timeout")

  def failing(**errors)
    @dialect = Failing.new(Sql::Sqlite.new(path))
    errors.each { |name, list| @dialect.public_send(:"#{name}=", list) }
    @other = Sql::Connection.new(@dialect)
  end

  def test_what_passes_runs_again
    connection = failing(before: [LOST, CONFLICT, LOST])
    connection.write { |db| db[:hosts].insert(name: "a") }
    @dialect.before = [LOST, CONFLICT]
    assert_equal ["a"], hosts(connection)
  end

  def test_what_does_not_pass_is_raised_at_once
    connection = failing(before: [TIMEOUT])
    assert_same TIMEOUT, assert_raises(Errors::TimeLimit) { connection.write { flunk } }
  end

  def test_what_does_not_pass_in_time_is_raised
    connection = failing(before: Array.new(99) { LOST })
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    assert_raises(Errors::ConnectionLost) { connection.write { flunk } }
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 10
    assert_operator @dialect.before.size, :>, 80
  end

  # Whether it holds is unknown: a second one could count twice.
  def test_a_commit_without_an_answer_does_not_run_again
    connection = failing(at_commit: [LOST])
    runs = 0
    assert_raises(Errors::ConnectionLost) do
      connection.write { |db| db[:hosts].insert(name: "a#{runs += 1}") }
    end
    assert_equal 1, runs
  end

  # The server says that it has taken it back.
  def test_a_commit_that_a_conflict_ended_runs_again
    connection = failing(at_commit: [CONFLICT])
    runs = 0
    connection.write { |db| db[:hosts].insert(name: "a#{runs += 1}") }
    assert_equal 2, runs
  end

  # A lock of the session, which keeps others from upkeep, is gone with a connection.
  def test_upkeep_does_not_go_on_with_another_connection
    connection = failing(before: [LOST])
    assert_raises(Errors::ConnectionLost) { connection.upkeep { connection.write { flunk } } }
  end

  def test_a_read_that_has_handed_rows_out_does_not_run_again
    connection = failing(before: [LOST])
    assert_raises(Errors::ConnectionLost) { connection.read(again: ->(_error) { false }) { flunk } }
  end

  def test_mistakes_of_ours_are_not_translated
    assert_raises(NoMethodError) { @connection.read { nil.upcase } }
    assert_raises(KeyError) { @connection.write { {}.fetch(:x) } }
  end
end

class Holdup::Store::Sql::SchemaTest < Minitest::Test
  include SampleMinutes
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  NEXT = Sql::Connection::Schema.new.known + 1
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

  def test_a_new_store_has_the_newest_schema
    fill
    assert_equal 8, Sql::Connection::Schema.new.known
    assert_equal 8, open_store.health[:schema]
  end

  # A store of a development version.
  def test_a_store_of_an_unknown_version_is_refused_with_its_number
    fill
    SQLite3::Database.new(path) { |db| db.execute("UPDATE schema_info SET version = 9") }
    error = assert_raises(Holdup::StoreError::NewerSchema) { open_store.checkpoints }
    assert_match(/has schema 9, this Holdup knows up to 8; update this Holdup/, error.message)
  end

  def test_a_newer_store_is_refused_and_left_alone
    fill
    Sql::Connection.new(Sql::Sqlite.new(path), schema: next_schema).tap(&:schema_version).close
    [false, true].each do |read_only|
      error = assert_raises(Holdup::StoreError::NewerSchema) { open_store(read_only:).checkpoints }
      assert_match(/has schema #{NEXT}, this Holdup knows up to #{NEXT - 1}; update/, error.message)
    end
  end

  # The dashboard asks again with each page.
  def test_closes_the_handle_of_a_refused_store
    fill
    Sql::Connection.new(Sql::Sqlite.new(path), schema: next_schema).tap(&:schema_version).close
    before = handles
    3.times { assert_raises(Holdup::StoreError::NewerSchema) { open_store(read_only: true).checkpoints } }
    File.write(path, "a letter " * 1000)
    [false, true].each do |read_only|
      assert_raises(Holdup::StoreError::NotOurs) { open_store(read_only:).checkpoints }
    end

    assert_equal before, handles
  end

  # Of the store: the migrator leaves one of its folder to the garbage collector.
  def handles
    Dir["/proc/self/fd/*"].count { |fd| File.symlink?(fd) && File.readlink(fd).start_with?(path) }
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
      assert_raises(Holdup::StoreError::Unreachable) { open_store(read_only: true).checkpoints }.message)
  end

  def test_refuses_a_database_of_another_program
    folder
    SQLite3::Database.new(path) { |db| db.execute("CREATE TABLE orders (id INTEGER)") }
    error = assert_raises(Holdup::StoreError::NotOurs) { open_store(read_only: true).checkpoints }
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
    assert_equal [6, 6], [units(open_store), open_store.checkpoints.size]
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
    FileUtils.cp(Dir["#{Sql::Connection::Schema::FOLDER}/*.rb"], later)
    File.write(File.join(later, "#{format("%03d", NEXT)}_add_region.rb"),
      "Sequel.migration { up { alter_table(:hosts) { add_column :region, String } } }")
    Sql::Connection::Schema.new(folder: later)
  end
end
