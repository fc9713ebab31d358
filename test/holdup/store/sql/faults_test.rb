# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"
require "sqlite3"

class Holdup::Store::Sql::FaultsTest < Minitest::Test
  include AsNobody
  include TemporaryFolder

  StoreError = Holdup::StoreError

  def dialect(name = "a.sqlite3", busy_s: 1)
    Holdup::Store::Sql::Sqlite.new(File.join(folder, name), busy_s:)
  end

  # As Sequel gives it: its own error, with that of the driver as the cause.
  def wrapped(cause, outer = Sequel::DatabaseError)
    raise cause
  rescue StandardError, SQLite3::Exception
    begin
      raise outer, cause.message
    rescue Sequel::Error => error
      error
    end
  end

  def translated(cause, dialect = self.dialect) = dialect.translate(wrapped(cause))

  def test_each_error_of_the_driver_has_its_own_meaning
    {
      SQLite3::BusyException => StoreError::Locked, SQLite3::LockedException => StoreError::Locked,
      SQLite3::FullException => StoreError::Full, Errno::ENOSPC => StoreError::Full,
      Errno::EDQUOT => StoreError::Full, SQLite3::NotADatabaseException => StoreError::NotOurs,
      SQLite3::CantOpenException => StoreError::Unreachable, SQLite3::IOException => StoreError::Unreachable,
      SQLite3::PermissionException => StoreError::Unreachable, Errno::EIO => StoreError::Unreachable,
      SQLite3::CorruptException => StoreError::Corrupt, SQLite3::MemoryException => StoreError::OutOfMemory,
      SQLite3::ProtocolException => StoreError::Locked, SQLite3::SQLException => StoreError::Unexpected,
      SQLite3::InterruptException => StoreError::Unexpected,
      SQLite3::InternalException => StoreError::Unexpected
    }.each do |kind, expected|
      assert_instance_of expected, translated(kind.new("x")), kind.name
      assert_instance_of expected, dialect.translate(kind.new("x")), "#{kind} without Sequel"
    end
  end

  def test_a_fault_of_one_row_is_not_one_of_the_store
    [SQLite3::ConstraintException, SQLite3::MismatchException, SQLite3::TooBigException,
      SQLite3::RangeException, ArgumentError].each do |kind|
      error = translated(kind.new("value 7 is odd"))
      assert_instance_of StoreError::BadRow, error, kind.name
      assert_includes error.message, "can't keep a row (value 7 is odd)"
    end
  end

  # Sequel's own subclass tells more than the cause does.
  def test_a_fault_of_one_row_by_the_class_of_sequel
    [Sequel::UniqueConstraintViolation, Sequel::NotNullConstraintViolation].each do |kind|
      assert_instance_of StoreError::BadRow, dialect.translate(wrapped(SQLite3::SQLException.new("x"), kind))
    end
    assert_instance_of StoreError::BadRow, dialect.translate(Sequel::InvalidValue.new("x"))
  end

  def test_an_error_of_ours_stays_as_it_is
    own = StoreError::Missing.new(location: "/a")

    assert_same own, dialect.translate(wrapped(own))
    assert_same own, dialect.translate(own)
  end

  def test_an_extended_code_says_more_than_its_class
    {
      8458 => StoreError::Corrupt, 8202 => StoreError::Corrupt, 3082 => StoreError::OutOfMemory,
      778 => StoreError::Unreachable, 261 => StoreError::Locked, 267 => StoreError::Corrupt
    }.each do |code, kind|
      error = SQLite3::IOException.new("disk I/O error")
      error.define_singleton_method(:code) { code }
      assert_instance_of kind, dialect.translate(error), code.to_s
    end
  end

  def test_a_message_ends_with_what_the_driver_says
    {SQLite3::BusyException => "database is locked", SQLite3::FullException => "database or disk is full",
     SQLite3::SQLException => "no such function: f"}.each do |kind, words|
      assert_includes translated(kind.new(words)).message, "(#{words})"
    end
  end

  def test_says_how_long_it_waited_for_a_lock
    assert_includes translated(SQLite3::BusyException.new("busy"), dialect(busy_s: 7)).message, "waited 7 s"
  end

  def test_a_connection_that_another_thread_uses_is_no_lock_of_another_process
    error = dialect.translate(Sequel::PoolTimeout.new("timeout: 5.0, elapsed: 5.0"))
    assert_equal :in_use, error.kind
    assert_includes error.message, "is in use by another thread of this process"
    refute_match(/locked|another process/, error.message)
    said = {"en" => /another thread of this process \(timeout: 5.0/, "ja" => /このプロセスの別のスレッドが使用中です/}
    said.each do |language, sentence|
      words = Holdup::View::Words.new(language)
      assert_match sentence, words.call(:"doctor_store_#{error.kind}", **error.facts), language
    end
  end

  def test_a_store_that_may_be_read_is_read_only
    File.write(File.join(folder, "a.sqlite3"), "")

    [SQLite3::ReadOnlyException, Errno::EROFS, Errno::EACCES, Errno::EPERM].each do |kind|
      assert_instance_of StoreError::ReadOnly, translated(kind.new("x")), kind.name
    end
  end

  def test_a_store_that_may_not_even_be_read_is_unreachable
    error = translated(Errno::EACCES.new("x"), dialect("missing.sqlite3"))

    assert_instance_of StoreError::Unreachable, error
    assert_includes error.message, "Permission denied"
  end

  def test_names_the_part_of_the_path_that_is_a_file
    File.write(File.join(folder, "file"), "")
    error = translated(SQLite3::CantOpenException.new("unable to open database file"),
      dialect("file/a.sqlite3"))

    assert_includes error.message, "can't be opened (#{folder}/file is not a folder)"
  end

  def test_repeats_the_driver_where_the_path_shows_no_reason
    error = translated(SQLite3::CantOpenException.new("unable to open database file"))

    assert_includes error.message, "can't be opened (unable to open database file)"
  end

  def test_names_the_folder_and_the_file_that_this_user_may_not_read
    Dir.mkdir(File.join(folder, "closed"), 0o700)
    File.write(File.join(folder, "mine.sqlite3"), "", perm: 0o600)
    File.chmod(0o755, folder)
    inside, mine = %w[closed/a.sqlite3 mine.sqlite3].map do |name|
      as_nobody { translated(SQLite3::CantOpenException.new("14"), dialect(name)).message }
    end

    assert_includes inside, "this user may not look into the folder #{folder}/closed"
    assert_includes mine, "this user may not read it"
  end

  # A new connection helps if the file was replaced meanwhile. Waiting for a lock needs none.
  def test_opens_again_only_where_that_can_help
    reopened = [StoreError::Corrupt.new(location: "a", reason: "x"), StoreError::NotOurs.new(location: "a"),
      StoreError::Unreachable.new(location: "a", reason: "x"), StoreError::Missing.new(location: "a"),
      StoreError::ReadOnly.new(location: "a")]
    kept = [StoreError::Locked.new(location: "a", seconds: 1), StoreError::Full.new(location: "a"),
      StoreError::BadRow.new(location: "a", reason: "x"), RuntimeError.new("x")]

    reopened.each { |error| assert dialect.reopen?(error), error.class.name }
    kept.each { |error| refute dialect.reopen?(error), error.class.name }
  end

  def test_everything_that_it_translates_is_caught
    [Sequel::DatabaseError.new, SQLite3::BusyException.new, Errno::ENOSPC.new].each do |error|
      assert dialect.errors.any? { |kind| kind === error }, error.class.name
    end
    refute dialect.errors.any? { |kind| kind === NoMethodError.new }, "a mistake of ours must be seen"
  end
end
