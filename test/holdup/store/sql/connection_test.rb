# frozen_string_literal: true

require "test_helper"
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

    assert_equal :locked, error.kind
    assert_empty hosts
  end

  def test_mistakes_of_ours_are_not_translated
    assert_raises(NoMethodError) { @connection.read { nil.upcase } }
    assert_raises(KeyError) { @connection.write { {}.fetch(:x) } }
  end
end
