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
      PG::LockNotAvailable => StoreError::Locked, PG::QueryCanceled => Errors::Cancelled,
      PG::TRDeadlockDetected => Errors::Conflict, PG::TRSerializationFailure => Errors::Conflict,
      PG::DiskFull => Errors::Full, PG::ReadOnlySqlTransaction => Errors::ReadOnly,
      PG::InsufficientPrivilege => Errors::Denied, PG::TooManyConnections => Errors::NoConnection,
      PG::AdminShutdown => Errors::ConnectionLost, PG::CrashShutdown => Errors::Starting,
      PG::CannotConnectNow => Errors::Starting,
      PG::ConnectionBad => Errors::Unreachable, PG::NumericValueOutOfRange => StoreError::BadRow,
      PG::StringDataRightTruncation => StoreError::BadRow, PG::UniqueViolation => StoreError::BadRow,
      PG::UndefinedTable => Errors::NotMigrated, PG::OutOfMemory => Errors::OutOfMemory,
      PG::DataCorrupted => Errors::Corrupt, PG::IndexCorrupted => Errors::Corrupt,
      PG::SyntaxError => Errors::Unexpected, PG::InternalError => Errors::Unexpected,
      PG::ConfigurationLimitExceeded => Errors::LimitReached, PG::InvalidPassword => Errors::LoginRefused,
      PG::InvalidCatalogName => Errors::NoDatabase, PG::StatementTooComplex => Errors::LimitReached,
      PG::IdleInTransactionSessionTimeout => Errors::TimeLimit
    }.each do |kind, expected|
      outer = (kind == PG::ConnectionBad) ? Sequel::DatabaseDisconnectError : Sequel::DatabaseError
      assert_instance_of expected, dialect.translate(wrapped(kind.new("x"), outer)), kind.name
    end
  end

  # What servers and libpq say where the driver gives no SQLSTATE: before there is a connection, or without
  # one.
  def test_words_tell_what_has_no_sqlstate
    address = %(connection to server at "db" (10.0.0.1), port 5432 failed: )
    {
      "#{address}FATAL:  sorry, too many clients already" => Errors::NoConnection,
      "#{address}FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute" =>
        Errors::NoConnection,
      "#{address}FATAL:  too many connections for role \"h\"" => Errors::NoConnection,
      "#{address}FATAL:  no more connections allowed (max_client_conn)" => Errors::NoConnection,
      "#{address}FATAL:  the database system is starting up" => Errors::Starting,
      "#{address}FATAL:  password authentication failed for user \"h\"" => Errors::LoginRefused,
      "#{address}fe_sendauth: no password supplied" => Errors::LoginRefused,
      "#{address}FATAL:  no pg_hba.conf entry for host \"10.0.0.2\", user \"h\"" => Errors::LoginRefused,
      "#{address}FATAL:  role \"h\" does not exist" => Errors::LoginRefused,
      "#{address}FATAL:  database \"d\" does not exist" => Errors::NoDatabase,
      "#{address}FATAL:  permission denied for database \"d\"" => Errors::Denied,
      "#{address}server does not support SSL, but SSL was required" => Errors::TlsFailed,
      "#{address}SSL error: certificate verify failed" => Errors::TlsFailed,
      "#{address}Connection refused" => Errors::Unreachable,
      "could not translate host name \"db\" to address: Name or service not known" => Errors::Unreachable,
      "#{address}FATAL:  Passwort-Authentifizierung für Benutzer »h« fehlgeschlagen" => Errors::Unexpected,
      "server closed the connection unexpectedly" => Errors::ConnectionLost,
      "FATAL:  terminating connection due to conflict with recovery" => Errors::RecoveryConflict
    }.each do |words, kind|
      error = dialect.translate(wrapped(PG::ConnectionBad.new(words), Sequel::DatabaseConnectionError))
      assert_instance_of kind, error, words
      refute_match(/damaged|locked/, error.message)
    end
  end

  def test_words_tell_apart_what_has_one_sqlstate
    {
      PG::QueryCanceled.new("ERROR:  canceling statement due to statement timeout") => Errors::TimeLimit,
      PG::OutOfMemory.new("ERROR:  out of shared memory") => Errors::LimitReached,
      PG::ProtocolViolation.new("FATAL:  query timeout") => Errors::TimeLimit,
      PG::ProtocolViolation.new("FATAL:  no more connections allowed (max_client_conn)") =>
        Errors::NoConnection,
      PG::ProtocolViolation.new("FATAL:  query_wait_timeout") => Errors::NoConnection,
      PG::ProtocolViolation.new("FATAL:  server login has been failing (server_login_retry)") =>
        Errors::Starting,
      PG::ProtocolViolation.new("ERROR:  invalid message format") => Errors::Unexpected,
      PG::QueryCanceled.new("ERROR:  canceling statement due to user request") => Errors::Cancelled,
      PG::TRSerializationFailure.new("ERROR:  canceling statement due to conflict with recovery") =>
        Errors::RecoveryConflict,
      PG::ObjectNotInPrerequisiteState.new("ERROR:  cannot update table \"t\" because it does not have a " \
        "replica identity and publishes updates") => Errors::NeedsKeys
    }.each { |error, kind| assert_instance_of kind, dialect.translate(wrapped(error)), error.message }
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
