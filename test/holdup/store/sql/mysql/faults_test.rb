# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"
require "trilogy"

class Holdup::Store::Sql::Mysql::FaultsTest < Minitest::Test
  StoreError = Holdup::StoreError
  Errors = Holdup::Store::Sql::DatabaseServer::Errors
  # As the drivers have it, trilogy with the one name and mysql2 with the other.
  Numbered = Class.new(StandardError) do
    def initialize(number, words = "the server said #{number}")
      super(words)
      @number = number
    end

    attr_reader :number
    alias_method :error_code, :number
  end

  def dialect
    Holdup::Store::Sql::Mysql.new("trilogy://me:secret@db/x", lock_wait_s: 7)
  end

  def wrapped(cause, outer = Sequel::DatabaseError)
    raise cause
  rescue
    begin
      raise outer, cause.message
    rescue Sequel::Error => error
      error
    end
  end

  def test_each_error_of_the_server_has_its_own_meaning
    {
      1205 => StoreError::Locked, 1213 => Errors::Conflict, 1114 => Errors::Full, 3101 => Errors::Conflict,
      1792 => Errors::ReadOnly, 1836 => Errors::ReadOnly, 1142 => Errors::Denied, 1044 => Errors::Denied,
      1045 => Errors::LoginRefused, 1698 => Errors::LoginRefused, 1130 => Errors::LoginRefused,
      1040 => Errors::NoConnection, 1203 => Errors::NoConnection, 1038 => Errors::OutOfMemory,
      1049 => Errors::NoDatabase, 1146 => Errors::NotMigrated, 1317 => Errors::Cancelled,
      1969 => Errors::TimeLimit, 3024 => Errors::TimeLimit, 1226 => Errors::LimitReached,
      1153 => Errors::LimitReached, 1461 => Errors::LimitReached, 1021 => Errors::Full,
      3159 => Errors::TlsFailed,
      2026 => Errors::TlsFailed, 1053 => Errors::Starting, 1047 => Errors::Starting,
      1927 => Errors::ConnectionLost, 2006 => Errors::ConnectionLost, 2013 => Errors::ConnectionLost,
      2003 => Errors::Unreachable, 1173 => Errors::NeedsKeys, 3750 => Errors::NeedsKeys,
      1406 => StoreError::BadRow, 1264 => StoreError::BadRow, 1366 => StoreError::BadRow,
      1034 => Errors::Corrupt, 1194 => Errors::Corrupt, 145 => Errors::Corrupt, 126 => Errors::Corrupt,
      1064 => Errors::Unexpected, 1305 => Errors::Unexpected, 65_000 => Errors::Unexpected
    }.each do |number, expected|
      assert_instance_of expected, dialect.translate(wrapped(Numbered.new(number))), number.to_s
    end
  end

  # One number, and several causes.
  def test_words_tell_apart_what_has_one_number
    {
      [1226, "User 'h' has exceeded the 'max_user_connections' resource (current value: 1)"] =>
        [Errors::NoConnection, /raise max_user_connections/],
      [1226, "User 'h' has exceeded the 'max_updates' resource (current value: 1)"] =>
        [Errors::LimitReached, /raise MAX_UPDATES_PER_HOUR/],
      [1290, "running with the --read-only option so it cannot"] => [Errors::ReadOnly, /primary/],
      [1290, "running with the --secure-file-priv option"] => [Errors::Unexpected, /server's log/],
      [1030, "Got error 28 \"No space left on device\" from storage engine"] => [Errors::Full, /free disk/],
      [1030, "Got error 127 from storage engine"] => [Errors::Corrupt, /backup/],
      [1030, "Got error 168 from storage engine"] => [Errors::Unexpected, /server's log/],
      [1034, "Incorrect key file for table '/tmp/#sql-temptable-1.MAI'"] => [Errors::Full, /free disk/]
    }.each do |(number, words), (kind, advice)|
      error = dialect.translate(wrapped(Numbered.new(number, words)))
      assert_instance_of kind, error, words
      assert_match advice, error.message
      assert_includes error.message, "(#{words})"
    end
  end

  # mysql2 has it, trilogy has not.
  def test_an_unknown_number_is_what_its_sqlstate_says
    {"40001" => Errors::Conflict, "08S01" => Errors::ConnectionLost, "23000" => StoreError::BadRow,
     "HY000" => Errors::Unexpected}.each do |state, kind|
      error = Numbered.new(60_000)
      error.define_singleton_method(:sql_state) { state }
      assert_instance_of kind, dialect.translate(wrapped(error)), state
    end
  end

  def test_a_broken_connection_has_no_number
    [Trilogy::ConnectionClosed.new("TRILOGY_CLOSED_CONNECTION"), Trilogy::EOFError.new("TRILOGY_EOF"),
      Errno::ECONNRESET.new("x")].each do |error|
      assert_instance_of Errors::ConnectionLost, dialect.translate(error), error.class.name
      assert_instance_of Errors::ConnectionLost, dialect.translate(wrapped(error)), error.class.name
    end
    [Errno::ECONNREFUSED.new("x"), Errno::ENOENT.new("/run/mysqld.sock")].each do |error|
      assert_instance_of Errors::Unreachable, dialect.translate(wrapped(error)), error.class.name
    end
    assert_instance_of Errors::TlsFailed,
      dialect.translate(wrapped(Trilogy::SSLError.new("TRILOGY_OPENSSL_ERR")))
    assert_instance_of Errors::LimitReached,
      dialect.translate(wrapped(Trilogy::BaseError.new("TRILOGY_MAX_PACKET_EXCEEDED")))
  end

  def test_a_full_pool_is_no_damage
    error = dialect.translate(Sequel::PoolTimeout.new("timeout: 5.0, elapsed: 5.0"))
    assert_instance_of Errors::NoConnection, error
    refute_match(/damaged|backup/, error.message)
  end

  def test_a_value_that_can_not_be_sent_is_the_fault_of_its_row
    assert_instance_of StoreError::BadRow, dialect.translate(Sequel::InvalidValue.new("x"))
  end

  def test_mistakes_of_ours_are_not_caught
    refute dialect.errors.any? { |kind| kind === NoMethodError.new }
    assert dialect.errors.any? { |kind| kind === Trilogy::QueryError.new("x") }
  end
end
