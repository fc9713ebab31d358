# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "pg"
require "sequel"

class Holdup::Store::Sql::Postgres::FaultsTest < Minitest::Test
  StoreError = Holdup::StoreError
  Errors = Holdup::Store::Sql::DatabaseServer::Errors

  def dialect
    Holdup::Store::Sql::Postgres.new("postgres://me:secret@db/x", lock_wait_s: 7)
  end

  # As Sequel gives it: its own error, with that of the driver as the cause.
  def wrapped(cause, outer = Sequel::DatabaseError)
    raise cause
  rescue PG::Error, StandardError
    begin
      raise outer, cause.message
    rescue Sequel::Error => error
      error
    end
  end

  def test_each_error_of_the_server_has_its_own_meaning
    {
      PG::LockNotAvailable => StoreError::Locked, PG::QueryCanceled => StoreError::Locked,
      PG::TRDeadlockDetected => Errors::Deadlock, PG::TRSerializationFailure => Errors::Deadlock,
      PG::DiskFull => StoreError::Full, PG::ReadOnlySqlTransaction => Errors::ReadOnly,
      PG::InsufficientPrivilege => Errors::Denied, PG::TooManyConnections => Errors::Unreachable,
      PG::AdminShutdown => Errors::Unreachable, PG::CannotConnectNow => Errors::Unreachable,
      PG::ConnectionBad => Errors::Unreachable, PG::NumericValueOutOfRange => StoreError::BadRow,
      PG::StringDataRightTruncation => StoreError::BadRow, PG::UniqueViolation => StoreError::BadRow,
      PG::UndefinedTable => Errors::Corrupt, PG::OutOfMemory => Errors::OutOfMemory
    }.each do |kind, expected|
      outer = (kind == PG::ConnectionBad) ? Sequel::DatabaseDisconnectError : Sequel::DatabaseError
      assert_instance_of expected, dialect.translate(wrapped(kind.new("x"), outer)), kind.name
    end
  end

  def test_a_value_that_can_not_be_sent_is_the_fault_of_its_row
    assert_instance_of StoreError::BadRow, dialect.translate(wrapped(ArgumentError.new("null byte")))
    assert_instance_of StoreError::BadRow, dialect.translate(Sequel::InvalidValue.new("x"))
  end

  def test_says_what_the_server_said_in_one_line
    error = dialect.translate(wrapped(PG::InsufficientPrivilege.new("ERROR:  permission denied\nLINE 1: x")))
    assert_includes error.message, "the store postgres://me:***@db/x refuses this user (permission denied);"
  end

  def test_an_error_of_ours_stays_as_it_is
    own = Errors::NotMigrated.new(location: "a")
    assert_same own, dialect.translate(wrapped(own))
  end

  def test_mistakes_of_ours_are_not_caught
    refute dialect.errors.any? { |kind| kind === NoMethodError.new }
    assert dialect.errors.any? { |kind| kind === PG::UnableToSend.new }
  end
end
